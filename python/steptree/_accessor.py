"""The accessor of a step: all that a body may do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from ._abi import DROP, FOREVER, NULL, data_of, ffi, keep, label, lib, pointer, running
from ._adder import Adder, Branches, parallel_of
from ._closure import Deferred, Handler
from ._error import LoopControl, StepError, check, exception, native, step_error
from ._operation import Completion
from ._signal import Signal
from ._state import State
from ._values import Ms, Packed, ms_of, read

if TYPE_CHECKING:
    from ._flow import AsyncSteps

T = TypeVar("T")
live: dict[int, IAsyncSteps] = {}
"""Accessors that somebody has kept, by the addresses of their steps."""


class _Mark:
    """A local of a step, which is dropped when that closes."""

    __slots__ = ("_of", "_address")

    def __init__(self, of: IAsyncSteps, address: int):
        self._of = of
        self._address = address

    def runtime_dropped(self) -> None:
        self._of.at = None
        if live.get(self._address) is self._of:
            del live[self._address]


class IAsyncSteps(Adder):
    """Works in the step's body, in its handler, and while the step waits: else `InternalError`.

    In a body what ends the step only takes note; the last error or loop control decides when the
    body has returned. Used too late, it says so.
    """

    __slots__ = ("at", "inside", "stack", "epoch", "mark")

    def __init__(self, at: Any):
        self.at: Any = at
        self.inside = 1  # calls of its code, also those that go on as a coroutine
        self.stack = 1  # those that are on the stack
        self.epoch = 0
        self.mark: _Mark | None = None

    def _to(self) -> Any:
        return lib.of_step(self._open())

    def _open(self) -> Any:
        if self.at is None:
            raise StepError("InternalError", "the accessor is used after its step has closed")
        return self.at

    @property
    def native(self) -> Any:
        """The handle of the runtime, for calls of the package."""
        return self._open()

    def _hold(self, *things: object) -> None:
        for thing in things:
            packed = Packed((thing,))
            check(lib.step_set_local(self._open(), data_of(id(thing)), packed.at))

    def outlive(self) -> None:
        """Its body has returned, and somebody has kept it: it ends with the step."""
        self.inside -= 1
        self.stack -= 1
        self.epoch += 1
        at = self.at
        address = int(ffi.cast("uintptr_t", at))
        self.mark = _Mark(self, address)
        live[address] = self
        packed = Packed((self.mark,))
        lib.step_set_local(at, at, packed.at)  # refused, it's dropped: at once

    def still(self, epoch: int) -> None:
        if epoch != self.epoch or not self.stack:
            raise StepError("InternalError", "branches can't be added after the body has returned")

    # ---- how the step ends ----

    def success(self, *values: object) -> None:
        """Ends the step well, with at most 4 values for the next body."""
        at = self._open()
        packed = Packed(values)
        check(lib.step_success(at, packed.at, packed.count))

    def error(self, code: str, info: str = "", cause: BaseException | None = None) -> NoReturn:  # pyright: ignore[reportReturnType]
        """Fails the step, and raises what it fails with; from outside of its code it returns.

        asi.error("NotFound", "no such user")
        """
        claims = self._claims()
        behind = NULL if cause is None else native(cause)
        error = lib.step_error_of(self._open(), label(code), label(info), behind)
        if not claims:
            check(error)
            made = StepError(code, info)
            made._latched = self  # pyright: ignore[reportPrivateUsage]
            raise made from cause

    def error_no_throw(self, code: str, info: str = "", cause: BaseException | None = None) -> None:
        """The same, and goes on: the step fails when the body has returned."""
        behind = NULL if cause is None else native(cause)
        check(lib.step_error_of(self._open(), label(code), label(info), behind))

    def break_loop(self, label: str = "") -> NoReturn:  # pyright: ignore[reportReturnType]
        """Ends the innermost loop around, or the nearest one with the label."""
        self._leave_loop(lib.step_break_loop, label, "break")

    def continue_loop(self, label: str = "") -> NoReturn:  # pyright: ignore[reportReturnType]
        """Goes on with the next iteration of that."""
        self._leave_loop(lib.step_continue_loop, label, "continue")

    def _leave_loop(self, call: Any, label: str, word: str) -> None:
        claims = self._claims()
        error = call(self._open(), _label(label))
        if not claims:
            check(error)
            raise LoopControl(word, self)

    def _claims(self) -> bool:
        """From outside it ends the wait, and goes on."""
        return not self.inside and self.valid()

    def break_no_throw(self, label: str = "") -> None:
        """As `break_loop`, and goes on; without a loop the step fails when the body has returned."""
        self._control(lib.step_break_loop, label)

    def continue_no_throw(self, label: str = "") -> None:
        self._control(lib.step_continue_loop, label)

    def _control(self, call: Any, label: str) -> None:
        valid = self.valid()
        error = call(self._open(), _label(label))
        if not valid:
            check(error)

    # ---- what holds for the step and all under it ----

    def set_timeout(self, ms: Ms, code: str | None = None) -> None:
        """Limits the step and all under it; `Timeout`, or the code, is raised then."""
        limit = lib.step_set_timeout(
            self._open(), ms_of(ms), lib.no_text() if code is None else label_of(code)
        )
        check(limit)

    def set_cancel(self, handler: Callable[[IAsyncSteps], object]) -> None:
        """Is called once, at once, when the step ends in any other way than ok."""
        check(lib.step_set_cancel(self._open(), _CANCEL, data_of(keep(handler)), DROP))

    def defer(self, function: Deferred) -> None:
        """Runs `function(asi, outcome)` when the step closes, whatever ends it, as the body of a
        step of its own; the last one first. After the flow's grace it is abandoned."""
        check(lib.step_defer(self._open(), _DEFERRED, data_of(keep(function)), DROP))

    def remaining(self) -> float:
        """Milliseconds until the nearest timeout around; infinity without any."""
        into = ffi.new("int64_t*")
        check(lib.step_remaining(self._open(), into))
        return math.inf if into[0] == FOREVER else into[0]

    def wait_external(self) -> Completion:
        """Makes the step wait until the completion is used."""
        into = ffi.new("steptree_completion*")
        check(lib.step_wait_external(self._open(), into))
        return Completion(into.slot, into.generation)

    def parallel(self, onerror: Handler | None = None, name: str = "") -> Branches:
        """A step whose branches run side by side; the first error cancels the others.

        asi.parallel().add(load_user).add(load_cart)
        """
        at = self._open()
        self.still(self.epoch)
        return parallel_of(lib.step_parallel, at, self, onerror, name)

    # ---- what it knows ----

    def valid(self) -> bool:
        """Calls would be taken."""
        return self.at is not None and bool(lib.step_valid(self.at))

    @property
    def state(self) -> State:
        """What all steps of the flow share."""
        return State(self._state)

    def _state(self) -> Any:
        into = ffi.new("steptree_state**")
        check(lib.step_state(self._open(), into))
        return into[0]

    @property
    def signal(self) -> Signal:
        """Aborted when the step ends in any other way than ok."""
        into = ffi.new("steptree_signal**")
        check(lib.step_signal(self._open(), into))
        return Signal(into[0])

    @property
    def last_error(self) -> StepError | None:
        """In a handler or a cancel handler: the error that is handled."""
        error = NULL if self.at is None else lib.step_last_error(self.at)
        return None if error == NULL else step_error(error)

    @property
    def last_exception(self) -> BaseException | None:
        """What has been raised for it: a foreign exception itself."""
        error = NULL if self.at is None else lib.step_last_thrown(self.at)
        return None if error == NULL else exception(error)

    def new_instance(self) -> AsyncSteps:
        """A flow of the same tool, burst and hooks."""
        from ._flow import instance_of

        return instance_of(self, running.tool)


_label = label
_CANCEL, _DEFERRED = pointer("c_cancel"), pointer("c_deferred")


def label_of(code: str) -> Any:
    """A text that is there, also if it's empty."""
    return lib.empty_text() if code == "" else label(code)


class Local(Generic[T]):
    """A value that a step sets for all steps inside, and for nothing else.

    user: Local[str] = Local("user")
    user.set(asi, "Ann")
    """

    _keys = iter(range(16, 1 << 62, 16))

    def __init__(self, name: str = ""):
        self.name = name
        self._key: Any = data_of(next(Local._keys))

    def set(self, asi: IAsyncSteps, value: T) -> None:
        packed = Packed((value,))
        check(lib.step_set_local(asi._open(), self._key, packed.at))  # pyright: ignore[reportPrivateUsage]

    def get(self, asi: IAsyncSteps, default: Any = None) -> T:
        """What the innermost step around has set."""
        into = ffi.new("const steptree_value**")
        check(lib.step_local(asi._open(), self._key, into))  # pyright: ignore[reportPrivateUsage]
        return default if into[0] == NULL else read(into[0])
