"""A plug-in that is being unloaded."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._error import StepError
    from ._outcome import Outcome


class Unload:
    """A plug-in that is being unloaded: `settled` is True when it's gone, or never will be."""

    def __init__(self) -> None:
        self.settled = False
        self._error: StepError | None = None
        self._waiting: list[asyncio.Future[None]] = []

    def done(self, outcome: Outcome) -> None:
        """The runtime calls it."""
        self._error = outcome.error
        self.settled = True
        for future in self._waiting:
            try:
                future.get_loop().call_soon_threadsafe(_wake, future)
            except RuntimeError:
                pass  # its loop is closed: nobody waits there

    async def _wait(self) -> None:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        if not self.settled:
            await future
        if self._error is not None:
            raise self._error

    def __await__(self) -> Generator[Any, None, None]:
        return self._wait().__await__()


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
