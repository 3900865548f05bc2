"""What steps are added to: a flow, a step, the branches of a parallel."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, Self, cast

from ._abi import ffi, keep, label, lib
from ._closure import Body, Code, Handler, closure
from ._error import check
from ._operation import Operation, awaitable
from ._values import Packed

if TYPE_CHECKING:
    from ._definition import Step
    from ._flow import AsyncSteps
    from ._guard import Guarding


class Adder:
    """Steps of one adder run one after another; branches side by side.

    To a step in its body or handler, to a flow while it is idle: else `InternalError`.
    """

    __slots__ = ()
    takes_steps = True
    """Of what a body returns: no value, as in `lambda asi: asi.add(load).add(store)`."""

    def _to(self) -> Any:
        """The handle of the runtime."""
        raise NotImplementedError

    def _hold(self, *things: object) -> None:
        """What has to live as long as what is added."""
        raise NotImplementedError

    def _number(self, code: Code) -> int:
        """Of what is added."""
        return keep(code)

    def add(
        self, body: Body | Step[Any], onerror: Handler | None = None, name: str = ""
    ) -> Self:
        """A step. Its body gets the accessor and the values of the step before; it ends when the
        body, what that waits for and all steps that it has added have. An error goes to `onerror`,
        which recovers by `success` or by adding steps, then outwards.

            asi.add(load, lambda asi, code: asi.success("none"))
        """
        to = self._to()
        native: Any = getattr(body, "native", None)
        if native is not None:
            self._hold(body)
            check(lib.add_value(to, native, self._closure(None, onerror), label(name)))
        elif name:
            check(lib.add_named_step(to, self._closure(body, onerror), label(name)))
        else:
            check(lib.add_body(to, self._number(Code(body, onerror)), onerror is not None))
        return self

    def loop(self, body: Body | Step[Any], label: str = "") -> Self:
        """Runs the body, without values, until `break_loop`."""
        check(lib.add_repeat_until_break(self._to(), self._round(body), _label(label)))
        return self

    def repeat(self, count: int, body: Body | Step[Any], label: str = "") -> Self:
        """Runs the body `count` times, with the numbers from 0 on."""
        check(lib.add_repeat(self._to(), count, self._round(body), _label(label)))
        return self

    def for_each(
        self, collection: Any, body: Body | Step[Any], label: str = ""
    ) -> Self:
        """Runs the body for each element, with its number; of a dict with its key; of a channel
        until that is closed and empty."""
        channel = getattr(collection, "native_channel", None)
        if channel is not None:
            self._hold(collection)
            check(lib.add_for_each_of(self._to(), channel(), self._round(body), _label(label)))
        else:
            packed = Packed((elements_of(collection),))
            check(lib.add_for_each(self._to(), packed.at, self._round(body), _label(label)))
        return self

    def await_(
        self, awaited: Operation | Awaitable[Any], onerror: Handler | None = None
    ) -> Self:
        """A step that waits: for a coroutine, a future, an operation, or a flow, which it executes.
        Its result is the step's, and closing the step cancels it."""
        flow = getattr(awaited, "native_flow", None)
        handled = self._closure(None, onerror)
        if flow is not None:
            self._hold(awaited)
            cast("AsyncSteps", awaited).awaited_by_step()
            check(lib.add_await_flow(self._to(), flow(), handled))
        else:
            check(lib.add_await_operation(self._to(), awaitable(awaited), handled))
        return self

    def sync(
        self, guard: Guarding, body: Body | Step[Any], onerror: Handler | None = None
    ) -> Self:
        """A section: the body runs once the guard is locked, which is unlocked on every way out.
        The handler is inside of the lock. `Deadlock`, `DefenseRejected`: of the step."""
        self._hold(guard)
        made = self._closure(body, onerror)
        check(guard.native_add(self._to(), made))
        return self

    def success_step(self, *values: object) -> Self:
        """A step with these values as result: at most 4."""
        packed = Packed(values)
        check(lib.add_success(self._to(), packed.at, packed.count))
        return self

    def relinquish(self) -> Self:
        """A step, without a result, at which the line makes way for others."""
        check(lib.add_relinquish(self._to()))
        return self

    def _closure(
        self, body: Body | Step[Any] | None, onerror: Handler | None, gives: bool = True
    ) -> Any:
        native: Any = getattr(body, "native", None)
        if native is None:
            return closure(body, onerror, gives=gives, number_of=self._number)
        self._hold(body)
        return closure(None, onerror, value=native, number_of=self._number)

    def _round(self, body: Body | Step[Any]) -> Any:
        return self._closure(body, None, gives=False)


_label = label


def elements_of(collection: Any) -> Any:
    """A list, or the dict that it is; what can't be iterated stays as it is."""
    if isinstance(collection, (list, dict)):
        return collection  # pyright: ignore[reportUnknownVariableType]
    try:
        return list(collection)
    except TypeError:
        return collection


class Branches(Adder):
    """The branches of a `parallel`, until that starts."""

    __slots__ = ("_at", "_of", "_epoch")

    def __init__(self, at: Any, of: Any):
        self._at = at
        self._of = of
        self._epoch = of.epoch

    def _to(self) -> Any:
        self._of.still(self._epoch)
        return self._at

    def _hold(self, *things: object) -> None:
        self._of._hold(*things)

    def _number(self, code: Code) -> int:
        return self._of._number(code)


def parallel_of(
    call: Any, at: Any, of: Any, onerror: Handler | None, name: str
) -> Branches:
    into = ffi.new("steptree_adder**")
    check(call(at, of._closure(None, onerror), label(name), into))
    return Branches(into[0], of)
