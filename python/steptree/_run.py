"""Options of flows, and who is told how a run has ended."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict

from ._abi import DROP, NULL, data_of, ffi, keep, label, pointer
from ._error import StepError
from ._outcome import Outcome
from ._signal import Signal
from ._values import Ms, ms_of

if TYPE_CHECKING:
    from ._definition import Step

_BURST, _GRACE = 1, 2
Hook = Callable[[StepError], object]


class Options(TypedDict, total=False):
    """Of flows: `name` is what snapshots call it, `burst` how many bodies of its root line run in a
    turn (100), `grace` the ms that a cleanup may take (5000); `unhandled` is told an error that
    nobody asks for, `report` one that is none of the flow's."""

    name: str
    burst: int
    grace: Ms
    unhandled: Hook
    report: Hook


class Hooks:
    """What the runtime tells of a flow."""

    __slots__ = ("unhandled", "report", "_holds")

    def __init__(self, unhandled: Hook, report: Hook, holds: object):
        self.unhandled = unhandled
        self.report = report
        self._holds = holds


def options_of(given: Options, otherwise: Hook, holds: object = None) -> Any:
    """For a call; the hooks that aren't given go to the tool."""
    made = ffi.new("steptree_options*")
    made.size = ffi.sizeof("steptree_options")
    name = label(given.get("name"))
    made.name = name
    _names[made] = name
    if "burst" in given:
        made.given |= _BURST
        made.burst = given["burst"]
    if "grace" in given:
        made.given |= _GRACE
        made.grace = ms_of(given["grace"])
    hooks = Hooks(given.get("unhandled", otherwise), given.get("report", otherwise), holds)
    made.unhandled, made.report = _HOOK, _REPORT
    made.data, made.drop = data_of(keep(hooks)), DROP
    return made


class Run:
    """One run, until its end is told; what it needs lives so long."""

    __slots__ = ("_done", "_holds")

    def __init__(self, done: Callable[[Outcome], object] | None, holds: object):
        self._done = done
        self._holds = holds

    def done(self, outcome: Outcome) -> None:
        self._holds = None
        if self._done is not None:
            self._done(outcome)


def done_of(done: Callable[[Outcome], object] | None, holds: object) -> Any:
    made = ffi.new("steptree_done*")
    made.call, made.data, made.drop = _DONE, data_of(keep(Run(done, holds))), DROP
    return made


def signal_of(signal: Signal | None) -> Any:
    return NULL if signal is None else signal.native


class StartOptions(Options, total=False):
    """Of a flow that its owner has: `done` is told how it ends, `signal` ends it; `as_promise`:
    `done` is told as a promise is, a cancel as the error `Canceled`."""

    done: Callable[[Outcome], object] | None
    signal: Signal | None
    as_promise: bool


def start(call: Any, at: Any, value: Step[Any], given: StartOptions, otherwise: Hook) -> Any:
    """Starts a step value at an owner; what that has failed with."""
    made = ffi.new("steptree_start_options*")
    made.size = ffi.sizeof("steptree_start_options")
    made.as_promise = given.get("as_promise", False)
    done = given.get("done")
    options = options_of(given, otherwise, value)
    told = NULL if done is None else done_of(done, value)
    made.done, made.options = told, options
    made.signal = signal_of(given.get("signal"))
    return call(at, value.native, made)


_names: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
_DONE, _HOOK, _REPORT = pointer("c_done"), pointer("c_hook"), pointer("c_report")
