"""What steps wait for: completions, operations, and whatever Python can await."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable
from contextvars import copy_context
from typing import Any, cast

from ._abi import FOREVER, LEAST, NULL, data_of, ffi, keep, label, lib, pointer, running
from ._error import LoopControl, StepError, once
from ._values import Packed


class _Right:
    """Two words, which are given back once."""

    __slots__ = ("_of",)

    _type: str
    _drop: Any

    def __init__(self, slot: Any, generation: int):
        self._of: Any = ffi.new(self._type, (slot, generation))[0]

    def __del__(self) -> None:
        if lib is not None:
            self._drop(self._of)


class Completion(_Right):
    """The right to end the wait of one step, once, from any thread; safe to keep, and to use late.

    Without any left the step waits for its deadline, or for somebody who cancels it.
    Guide: docs/python.md#waiting

        done = asi.wait_external()
        threading.Thread(target=lambda: done.success(42)).start()
    """

    __slots__ = ()
    _type, _drop = "steptree_completion*", lib.completion_drop

    def success(self, *values: object) -> bool:
        """Ends the wait with at most 4 values. True: this call was the first."""
        packed = Packed(values)
        return bool(lib.completion_success(self._of, packed.at, packed.count))

    def error(self, code: str, info: str = "") -> bool:
        """The same with an error."""
        return bool(lib.completion_error(self._of, label(code), label(info)))

    def fail(self, error: BaseException) -> bool:
        """The same with an exception, as if the body had raised it."""
        return bool(lib.completion_fail(self._of, once(error)))

    def valid(self) -> bool:
        """The step still waits."""
        return bool(lib.completion_valid(self._of))


class Awaiter(_Right):
    """Is told by an operation how it has ended, once, on any thread."""

    __slots__ = ()
    _type, _drop = "steptree_awaiter*", lib.awaiter_drop

    def success(self, *values: object) -> None:
        packed = Packed(values)
        lib.awaiter_success(self._of, packed.at, packed.count)

    def fail(self, error: BaseException) -> None:
        lib.awaiter_fail(self._of, once(error))


class Operation:
    """Something to wait for that is no awaitable of Python: `asi.await_(operation)`.

    `takes_time`: when `cancel` returns True it goes on, and is waited for, up to the flow's grace.
    """

    takes_time = False

    def subscribe(self, awaiter: Awaiter) -> None:
        """Begins it; it tells the awaiter how it ends."""
        raise NotImplementedError

    def cancel(self) -> bool:
        """Its step waits no more."""
        return False


class _Awaited:
    """An operation that is awaited by one step."""

    __slots__ = ("_operation", "_context")

    def __init__(self, operation: Operation):
        self._operation = operation
        self._context = copy_context()

    def begin(self, slot: Any, generation: int) -> None:
        self._context.copy().run(self._begin, slot, generation)

    def _begin(self, slot: Any, generation: int) -> None:
        awaiter = Awaiter(slot, generation)
        try:
            self._operation.subscribe(awaiter)
        except Exception as error:
            awaiter.fail(error)

    def stop(self) -> bool:
        return self._context.copy().run(self._operation.cancel)


class _Task(Operation):
    """A coroutine, or what else can be awaited, as a task of the loop that runs."""

    takes_time = True

    def __init__(self, awaitable: Awaitable[object]):
        self._awaitable = awaitable
        self._task: asyncio.Future[object] | None = None
        self._stopped = False
        self._within = running.within

    def subscribe(self, awaiter: Awaiter) -> None:
        self._task = asyncio.ensure_future(self._awaitable)
        self._task.add_done_callback(lambda task: self._ended(awaiter, task))

    def _ended(self, awaiter: Awaiter, task: asyncio.Future[object]) -> None:
        if task.cancelled():
            if self._stopped:
                return awaiter.success()
            return awaiter.fail(StepError("Canceled", "the task was cancelled"))
        error = task.exception()
        if isinstance(error, StepError) and self._within is not None:
            if error._known is None:  # pyright: ignore[reportPrivateUsage]
                self._within.raises(error)
        if isinstance(error, LoopControl) or getattr(error, "_latched", None) is not None:
            return awaiter.success()  # its step knows
        if error is not None and self._stopped and self._within is not None:
            self._within.call(self._within.report, StepError.of(error))
            return awaiter.success()
        if error is not None:
            return awaiter.fail(error)
        result = task.result()
        try:
            awaiter.success() if result is None else awaiter.success(result)
        except Exception as raised:
            awaiter.fail(raised)

    def cancel(self) -> bool:
        self._stopped = True
        if self._task is None or self._task.get_loop().is_closed():
            return False
        return self._task.cancel()

    def runtime_dropped(self) -> None:
        if self._task is None and inspect.iscoroutine(self._awaitable):
            self._awaitable.close()


class _AwaitedTask(_Awaited):
    __slots__ = ()

    def runtime_dropped(self) -> None:
        if isinstance(self._operation, _Task):
            self._operation.runtime_dropped()


def awaitable(given: Operation | Awaitable[object]) -> Any:
    """What the runtime awaits."""
    operation = given if isinstance(given, Operation) else _Task(given)
    made = ffi.new("steptree_awaitable*")
    made.size = ffi.sizeof("steptree_awaitable")
    made.subscribe, made.cancel, made.drop = _SUBSCRIBE, _STOP, _DROP
    made.data = data_of(keep(_AwaitedTask(operation)))
    made.flags = lib.STEPTREE_TAKES_TIME if operation.takes_time else 0
    return made


_SUBSCRIBE, _STOP, _DROP = pointer("c_subscribe"), pointer("c_stop"), pointer("c_drop")
_PLAIN: frozenset[type] = frozenset((int, str, list, dict, float, bool, bytes, tuple))


def give(asi: Any, result: Any, gives: bool) -> Any:
    """What a body returns: something to wait for, or its value."""
    kind = cast("type[object]", type(result))
    if gives and kind is int and LEAST <= result <= FOREVER:
        return lib.give_int(asi.at, result)
    if gives and kind is str:
        data = result.encode()
        return lib.give_text(asi.at, data, len(data))
    if kind not in _PLAIN and (
        isinstance(result, Operation) or inspect.isawaitable(result)
    ):
        asi.inside += 1  # what goes on is its code, too
        return lib.step_give_awaitable(asi.at, awaitable(result))
    if not gives or getattr(result, "takes_steps", False):
        return NULL
    packed = Packed((result,))
    return lib.step_give(asi.at, packed.at, 1)
