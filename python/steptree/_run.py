"""Options of flows, and who is told how a run has ended."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from ._abi import DROP, NULL, data_of, ffi, keep, label, lib, pointer
from ._context import Within, flows
from ._error import StepError
from ._outcome import Outcome
from ._signal import Signal
from ._values import Ms, ms_of

if TYPE_CHECKING:
    from ._definition import Step

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


class RunOptions(Options, total=False):
    """The same; `signal` ends the flow."""

    signal: Signal | None


class Hooks:
    """What the runtime tells of a flow."""

    __slots__ = ("unhandled", "report", "within", "number", "_holds")

    def __init__(self, unhandled: Hook, report: Hook, holds: object):
        self.unhandled = unhandled
        self.report = report
        self.within: Within | None = None
        self.number = 0
        self._holds = holds

    def tell(self, hook: Hook, error: StepError) -> None:
        if self.within is None:
            hook(error)
        else:
            self.within.notes(error)
            self.within.call(hook, error)

    def runtime_dropped(self) -> None:
        flows.pop(self.number, None)


def only(given: Mapping[str, object], known: type | Iterable[str]) -> None:
    """Refuses what isn't known."""
    names = known.__annotations__ if isinstance(known, type) else known
    every = {*names, *(Options.__annotations__ if isinstance(known, type) else ())}
    for name in given.keys() - every:
        raise TypeError(f"there is no option {name!r}: known are {', '.join(sorted(every))}")


def options_of(given: Options, otherwise: Hook, holds: object = None) -> tuple[Any, Hooks]:
    """For a call; the hooks that aren't given go to the tool."""
    made = ffi.new("steptree_options*")
    made.size = ffi.sizeof("steptree_options")
    name = label(given.get("name"))
    made.name = name
    _names[made] = name
    if "burst" in given:
        made.given |= lib.STEPTREE_GIVEN_BURST
        made.burst = given["burst"]
    if "grace" in given:
        made.given |= lib.STEPTREE_GIVEN_GRACE
        made.grace = ms_of(given["grace"])
    hooks = Hooks(given.get("unhandled", otherwise), given.get("report", otherwise), holds)
    made.unhandled = _HOOK
    lib.set_report(made)
    hooks.number = keep(hooks)
    made.data, made.drop = data_of(hooks.number), DROP
    return made, hooks


class Run:
    """One run, until its end is told; what it needs lives so long."""

    __slots__ = ("_done", "_holds", "_within")

    def __init__(self, done: Callable[[Outcome], object] | None, holds: object, within: Within):
        self._done = done
        self._holds = holds
        self._within = within

    def done(self, outcome: Outcome) -> None:
        self._holds = None
        self._within.notes(outcome.error)
        if self._done is not None:
            self._within.call(self._done, outcome)


def done_of(done: Callable[[Outcome], object] | None, holds: object, within: Within) -> Any:
    made = ffi.new("steptree_done*")
    made.call, made.data, made.drop = _DONE, data_of(keep(Run(done, holds, within))), DROP
    return made


def signal_of(signal: Signal | None) -> Any:
    return NULL if signal is None else signal.native


class StartOptions(RunOptions, total=False):
    """Of a flow that its owner has: `done` is told how it ends."""

    done: Callable[[Outcome], object] | None


def start(call: Any, at: Any, value: Step[Any], given: StartOptions, otherwise: Hook) -> Any:
    """Starts a step value at an owner; what that has failed with."""
    only(given, StartOptions)
    made = ffi.new("steptree_start_options*")
    made.size = ffi.sizeof("steptree_start_options")
    done = given.get("done")
    options, hooks = options_of(given, otherwise, value)
    within = hooks.within = flows[hooks.number] = Within(hooks.report)
    told = NULL if done is None else done_of(done, value, within)
    made.done, made.options = told, options
    made.signal = signal_of(given.get("signal"))
    return call(at, value.native, made)


_names: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
_DONE, _HOOK = pointer("c_done"), pointer("c_hook")
