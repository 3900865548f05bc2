"""Functions of Python that the runtime calls: bodies, handlers, deferred functions, callbacks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ._abi import NULL, decoded, ffi, keep, label, lib, loose, running, thing_of, things
from ._accessor import IAsyncSteps, live
from ._context import flows
from ._definition import Step
from ._error import LoopControl, StepError, native, step_error
from ._operation import give
from ._outcome import Outcome
from ._values import read, read_all

extern: Any = ffi.def_extern


def escaped(error: BaseException) -> None:
    """What nobody handles: the tool that runs raises it, or gives it to its loop."""
    running.raised.append(error)


# ---- what comes in between ----
#
# What a function of the program raises leaves its callback, which is what most of these do with it.
# A handler of a signal raises wherever Python is, also where the package is between the runtime and
# a body: then the callback itself is left by it. No step counts as done by that.


def _spare() -> Any:
    error = lib.error_make(label("InternalError"), label("an exception came in between"), NULL)
    lib.error_keep(error)
    return error


_SPARE = _spare()


def _accessor_ends(at: Any) -> None:
    """The callback hasn't come to tell the accessor that it's over."""
    while at is not None:
        if at.tb_frame.f_code is _call.__code__:
            asi = at.tb_frame.f_locals.get("asi")
            if asi is not None:
                asi.at = None
        at = at.tb_next


def _hit(_: object, error: BaseException, at: Any) -> Any:
    """A callback of a step was left by an exception: the step fails with that."""
    _accessor_ends(at)
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        escaped(error)
    return native(error)


def _hit_elsewhere(_: object, error: BaseException, __: object) -> None:
    escaped(error)


def of_step(function: Any) -> None:
    """What the runtime calls for a step."""
    extern(error=_SPARE, onerror=_hit)(function)


def elsewhere(error: Any = None) -> Callable[[Any], None]:
    def given(function: Any) -> None:
        extern(error=error, onerror=_hit_elsewhere)(function)

    return given


# ---- inside of a step ----


def _failed(asi: IAsyncSteps, error: BaseException) -> Any:
    """What a body that has raised it fails with."""
    if isinstance(error, LoopControl):
        if error.of is asi:
            return NULL  # its step knows
        return native(StepError("InternalError", f"a {error.word} of another step was let out"))
    if isinstance(error, StepError):
        if running.within is not None and error._known is None:  # pyright: ignore[reportPrivateUsage]
            running.within.raises(error)
        if error._latched is asi:  # pyright: ignore[reportPrivateUsage]
            return NULL
    if not isinstance(error, Exception) and isinstance(error, (KeyboardInterrupt, SystemExit)):
        escaped(error)
    try:
        return native(error)
    except Exception as other:
        return native(StepError("InternalError", f"{type(error).__name__}: {type(other).__name__}"))


def _left(asi: IAsyncSteps, result: Any, gives: bool) -> Any:
    """What a body or handler has returned."""
    if isinstance(result, Step):
        asi.add(result)  # pyright: ignore[reportUnknownArgumentType]
        return NULL
    return give(asi, result, gives)


def taking(function: Any, args: list[Any]) -> list[Any]:
    """As many of the values as it takes."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & 4:
        return args
    most = code.co_argcount - (2 if hasattr(function, "__self__") else 1)
    return args if most >= len(args) else args[:most]


_getrefcount: Callable[[object], int] = getattr(sys, "getrefcount", lambda _: sys.maxsize)


def _call(at: Any, function: Any, args: list[Any], gives: bool) -> Any:
    """Calls a body, which may keep its accessor: that is told then when the step closes."""
    asi = IAsyncSteps(at)
    try:
        result = function(asi, *taking(function, args)) if args else function(asi)
        error = NULL if result is None else _left(asi, result, gives)
        result = None
    except BaseException as raised:
        error = _failed(asi, raised)
    if _getrefcount(asi) > _alone:
        asi.outlive()
    else:
        asi.at = None
    return error


_alone = sys.maxsize


def _measure() -> None:
    """How many references an accessor has that nobody has kept."""
    global _alone
    seen: list[int] = []

    class Measured(IAsyncSteps):
        __slots__ = ()

        def outlive(self) -> None:
            raise AssertionError

    def count(asi: object) -> None:
        del asi

    def probe(function: Any) -> None:
        asi = Measured(None)
        try:
            result = function(asi)
            error = NULL if result is None else _left(asi, result, False)
            result = None
        except BaseException as raised:
            error = _failed(asi, raised)
        seen.append(_getrefcount(asi))
        del error

    probe(count)
    _alone = seen[0]


_measure()


@of_step
def py_body(at: Any, values: Any, count: int, number: int, flow: int) -> Any:
    code = thing_of(number)
    try:
        args = [] if count == 0 else [read(values)] if count == 1 else read_all(values, count)
    except Exception as error:
        return native(error)
    within = flows.get(flow)
    if within is None:
        return _call(at, code.body, args, code.gives)
    return within.call(_call, at, code.body, args, code.gives)


@of_step
def py_handler(at: Any, data: Any, size: int, number: int, flow: int) -> Any:
    code = decoded(data, size)
    return _within(flow, _again, at, thing_of(number).onerror, [code])


def _within(flow: int, function: Callable[..., Any], *args: Any) -> Any:
    within = flows.get(flow)
    return function(*args) if within is None else within.call(function, *args)


def _again(at: Any, function: Any, args: list[Any]) -> Any:
    """Calls a handler, whose step may have an accessor that is kept."""
    asi = live.get(int(ffi.cast("uintptr_t", at)))
    if asi is None:
        return _call(at, function, args, False)
    asi.inside += 1
    asi.stack += 1
    try:
        result = function(asi, *taking(function, args))
        return NULL if result is None else _left(asi, result, False)
    except BaseException as raised:
        return _failed(asi, raised)
    finally:
        asi.inside -= 1
        asi.stack -= 1
        asi.epoch += 1


@of_step
def py_cancel(at: Any, number: int, flow: int) -> Any:
    return _within(flow, _cancelled, at, things[number])


def _cancelled(at: Any, function: Any) -> Any:
    asi = live.get(int(ffi.cast("uintptr_t", at))) or IAsyncSteps(at)
    try:
        function(asi)
        return NULL
    except BaseException as raised:
        return _failed(asi, raised)
    finally:
        if asi.mark is None:
            asi.at = None


@of_step
def py_lock(at: Any, number: int, flow: int) -> Any:
    return _within(flow, _call, at, thing_of(number).lock, [], False)


@of_step
def py_deferred(at: Any, outcome: Any, number: int, flow: int) -> Any:
    thing = thing_of(number)
    return _within(flow, _call, at, getattr(thing, "unlock", thing), [Outcome(outcome)], False)


# ---- elsewhere ----


@elsewhere()
def py_drop(number: int) -> None:
    thing = things.pop(number, None)
    loose.pop(number, None)
    dropped = getattr(thing, "runtime_dropped", None)
    if dropped is not None:
        dropped()


@elsewhere()
def py_call(number: int) -> None:
    things[number]()


@elsewhere()
def py_done(outcome: Any, number: int) -> None:
    try:
        read = Outcome(outcome)
    except BaseException as error:  # whoever waits is told in any case
        read = Outcome.unreadable(error)
        if not isinstance(error, Exception):
            escaped(error)
    things[number].done(read)


@elsewhere()
def py_hook(error: Any, number: int) -> None:
    hooks = things[number]
    hooks.tell(hooks.unhandled, step_error(error))


@elsewhere()
def py_report(error: Any, number: int) -> None:
    hooks = things[number]
    hooks.tell(hooks.report, step_error(error))


@elsewhere()
def py_counted(cancelled: int, number: int) -> None:
    things[number](cancelled)


@elsewhere()
def py_event(event: Any, number: int) -> None:
    things[number](event)


# ---- operations that are awaited ----


@elsewhere()
def py_subscribe(slot: Any, generation: int, number: int) -> None:
    things[number].begin(slot, generation)


@elsewhere(0)
def py_stop(number: int) -> int:
    return 1 if things[number].stop() else 0


# ---- sources and sinks of `map` ----


@elsewhere(0)
def py_begin(number: int) -> int:
    return keep(things[number].run())


@of_step
def py_next(number: int, into: Any, has: Any) -> Any:
    has[0] = 0
    if things[number].next(into):
        has[0] = 1
    return NULL


@elsewhere()
def py_end(number: int) -> None:
    things.pop(number).end()


@of_step
def py_sink(values: Any, count: int, number: int, of: int) -> Any:
    things[of](read(values) if count else None, number)
    return NULL


# ---- answers ----


@elsewhere(0)
def py_decide(error: Any, ms: Any, number: int) -> int:
    answer = things[number](step_error(error))
    if answer is None or answer is False or answer is True:
        return int(bool(answer))
    ms[0] = answer
    return 2


@of_step
def py_failure(error: Any, is_one: Any, number: int) -> Any:
    is_one[0] = bool(things[number](step_error(error)))
    return NULL


@of_step
def py_key(data: Any, size: int, options: Any, number: int) -> Any:
    things[number](decoded(data, size), options)
    return NULL
