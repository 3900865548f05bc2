"""One client, one flow: it takes a command, runs it, sends the reply, until one side leaves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

import reply
from commands import run
from parser import Parser, ProtocolError
from steptree import Completion, IAsyncSteps, Outcome, Signal, StepError, step

if TYPE_CHECKING:
    from server import Server

_INPUT = 1024 * 1024
_LINGER = 1000  # milliseconds


class Connection(asyncio.Protocol):
    def __init__(self, server: Server):
        self.server = server
        self.leaving = False
        self._parser = Parser()
        self._ended = False
        self._waiting = False
        self._gone = Signal()
        self._more: Completion | None = None
        self._room: Completion | None = None
        self._full = False
        self._refused = False

    # ---- what asyncio tells ----

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.server.joined(self)
        self.server.scope.start(step(self._serve), signal=self._gone, done=self._closed)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        self._parser.feed(data)
        if self._more is None and self._parser.pending > _INPUT:
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        # What the client had sent before he closed is still answered, but nothing waits for him.
        self._ended = True
        if self._waiting:
            self._gone.abort()
        self._wake()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone.abort()

    def pause_writing(self) -> None:
        self._full = True

    def resume_writing(self) -> None:
        self._full = False
        if self._room is not None:
            self._room.success()

    # ---- what its commands tell ----

    def waits(self) -> None:
        """The command that runs waits: it ends with the client."""
        self._waiting = True
        if self._ended:
            self._gone.abort()

    def stop(self) -> None:
        """The command that runs is the last."""
        self.leaving = True
        self._wake()

    # ---- the flow ----

    def _serve(self, asi: IAsyncSteps) -> None:
        asi.loop(self._round)
        asi.add(self._linger, lambda inner, code: inner.success() if code == "Timeout" else None)

    def _linger(self, asi: IAsyncSteps) -> None:
        """Whoever has been told why he isn't read any more has to have read that before the
        connection is closed, which resets it while there is more of him."""
        if not self._refused or self._ended or self.leaving:
            return
        self._transport.write_eof()
        asi.set_timeout(_LINGER)
        self._more = asi.wait_external()
        self._transport.resume_reading()

    def _round(self, asi: IAsyncSteps) -> None:
        if self.leaving:
            asi.break_loop()
        try:
            command = self._parser.next()
        except ProtocolError as error:
            self.server.counters.errors += 1
            self._transport.write(reply.error(f"ERR Protocol error: {error}"))
            self._refused = True
            asi.break_loop()
        if command is not None:
            self.server.counters.requests += 1
            asi.add(lambda inner: run(inner, self, command), self._explain, "command")
            asi.add(self._reply, name="reply")
        elif self._ended:
            asi.break_loop()
        else:
            self._more = asi.wait_external()
            self._transport.resume_reading()

    def _explain(self, asi: IAsyncSteps, code: str) -> None:
        self.server.counters.errors += 1
        asi.success(reply.error(explained(cast(StepError, asi.last_error))))

    def _reply(self, asi: IAsyncSteps, data: bytes) -> None:
        self._waiting = False
        self._transport.write(data)
        if self._full:
            self._room = asi.wait_external()

    def _wake(self) -> None:
        more, self._more = self._more, None
        if more is not None:
            more.success()

    def _closed(self, outcome: Outcome) -> None:
        self._transport.close()
        self.server.left(self, outcome)


def explained(error: StepError) -> str:
    if error.code == "Timeout":
        return "ERR the command has taken too long"
    if error.code == "InternalError":
        return f"ERR internal error: {error.info}"
    if error.code != "DefenseRejected":
        return f"{error.code} {error.info}"
    later = "" if error.retry_after is None else f", retry_after {error.retry_after} ms"
    return f"DEFENSEREJECTED {error.info}{later}"
