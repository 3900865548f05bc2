"""Scopes: owners of flows, which end them together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from ._abi import DROP, FLOW, data_of, ffi, keep, label, lib, owned, pointer
from ._error import StepError, check
from ._outcome import Outcome
from ._run import Options, RunOptions, StartOptions, only, options_of, start
from ._signal import Signal
from ._tool import Tool, default_tool
from ._values import Ms, ms_of

if TYPE_CHECKING:
    from ._definition import Step

T = TypeVar("T")
Counted = Callable[[int], object]


class Scope:
    """Owns flows; the options are those of all of them. `async with Scope() as scope:` closes it.

        scope = Scope()
        scope.start(serve)
        cancelled = await scope.drain(10_000)
    """

    def __init__(self, tool: Tool | None = None, **options: Unpack[Options]):
        only(options, Options)
        self.tool = tool or default_tool()
        self._options: Options = options
        into = ffi.new("steptree_scope**")
        of = self.tool.native
        made, _ = options_of(options, self.tool.unhandled)
        check(lib.scope_make(of, made, into))
        self._owned = owned(self, into[0], lib.scope_drop, FLOW, self.tool.owned)

    def _at(self) -> Any:
        self.tool.check_open()
        return self._owned.at

    def start(self, value: Step[Any], **options: Unpack[StartOptions]) -> None:
        """As that of a tool. Once it drains or is closed: `Closed`."""
        options = {**self._options, **options}
        check(start(lib.scope_start, self._at(), value, options, self.tool.unhandled))

    async def run(self, value: Step[T], **options: Unpack[RunOptions]) -> T:
        """The result of a step value, or raises its error. Cancelling the task cancels the flow,
        and waits until that has closed."""
        only(options, RunOptions)
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        given, own = options.get("signal"), Signal()
        listens = None if given is None else given.listen(own.abort)
        if given is not None and given.aborted():
            own.abort()
        owned: StartOptions = {**options, "signal": own}
        owned["done"] = lambda outcome: _settle(future, outcome)
        self.start(value, **owned)
        try:
            return (await asyncio.shield(future)).result()
        except asyncio.CancelledError:
            own.abort()
            self.tool.again()
            await asyncio.shield(future)
            raise
        finally:
            if listens is not None:
                listens.cancel()

    def on_close(self, counted: Counted, reason: str = "") -> None:
        """Cancels its flows; `counted` is told how many, when nothing of them is open."""
        check(
            lib.scope_close(self._at(), label(reason), _COUNTED, data_of(keep(counted)), DROP)
        )

    def on_drain(self, counted: Counted, ms: Ms, reason: str = "") -> None:
        """The same of those that haven't ended after so long."""
        given = (ms_of(ms), label(reason), _COUNTED, data_of(keep(counted)), DROP)
        check(lib.scope_drain(self._at(), *given))

    async def close(self, reason: str = "") -> int:
        """Cancels its flows: how many, when nothing of them is open."""
        return await _counted(lambda counted: self.on_close(counted, reason))

    async def drain(self, ms: Ms, reason: str = "") -> int:
        """Waits for its flows, and cancels those that haven't ended after so long: how many."""
        return await _counted(lambda counted: self.on_drain(counted, ms, reason))

    async def __aenter__(self) -> Scope:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def draining(self) -> bool:
        return not self._owned.dropped and bool(lib.scope_draining(self._owned.at))

    @property
    def size(self) -> int:
        """Flows that haven't ended."""
        return 0 if self._owned.dropped else lib.scope_flows(self._owned.at)


def _settle(future: asyncio.Future[Outcome], outcome: Outcome) -> None:
    if not future.done():
        future.set_result(outcome)


async def _counted(call: Callable[[Counted], None]) -> int:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    call(lambda count: None if future.done() else future.set_result(count))
    count = await future
    if count < 0:
        raise StepError("InternalError", "the scope's tool has gone")
    return count


_COUNTED = pointer("c_counted")
