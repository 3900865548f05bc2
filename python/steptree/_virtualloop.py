"""The loop that coroutines see in virtual time."""

from __future__ import annotations

import asyncio
import math
import weakref
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from ._signal import Handle
    from ._tool import VirtualTool

_PART = 1e-3  # of a ms: what the seconds of asyncio may have lost in a sum


class VirtualLoop(asyncio.BaseEventLoop):
    """A loop of asyncio whose callbacks and clock are those of a tool, which alone runs it. It has no
    sockets, processes and threads."""

    def __init__(self, tool: VirtualTool):
        super().__init__()
        self._tool = weakref.ref(tool)
        self._soon: deque[asyncio.Handle] = deque()
        self._pending: dict[int, Handle] = {}

    def __del__(self) -> None:
        pass  # there is nothing to close

    @property
    def tool(self) -> VirtualTool:
        tool = self._tool()
        if tool is None:
            raise RuntimeError("the VirtualTool of this loop has gone")
        return tool

    def time(self) -> float:
        return self.tool.now() / 1000

    def is_running(self) -> bool:
        return asyncio._get_running_loop() is self  # pyright: ignore[reportPrivateUsage]

    def is_closed(self) -> bool:
        tool = self._tool()
        return tool is None or tool.owned.dropped

    # ---- callbacks ----

    def call_soon(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._soon.append(handle)
        self.tool.immediate(self._next)
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        return self.call_soon(callback, *args, context=context)

    def _next(self) -> None:
        """One of them, the oldest: in whichever order the tool calls back."""
        _run(self._soon.popleft())

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        number = id(timer)  # which is kept until then

        def due() -> None:
            self._pending.pop(number, None)
            _run(timer)

        ms = max(0, math.ceil((when - self.time()) * 1000 - _PART))
        self._pending[number] = self.tool.deferred(ms, due)
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pending = self._pending.pop(id(handle), None)
        if pending is not None:
            pending.cancel()

    # ---- what it hasn't ----

    def run_forever(self) -> NoReturn:
        raise RuntimeError("the VirtualTool runs this loop: tool.run()")

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> NoReturn:
        raise NotImplementedError("there are no threads in virtual time")


def _run(handle: asyncio.Handle) -> None:
    if not handle.cancelled():
        handle._run()  # pyright: ignore[reportPrivateUsage]
