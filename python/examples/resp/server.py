"""Keeps the connections of its clients, and what they share."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass

from connection import Connection
from plugins import Plugins
from steptree import Outcome, Scope
from store import Store


@dataclass
class Counters:
    requests: int = 0
    errors: int = 0
    rejected: int = 0
    accepted: int = 0
    refused: int = 0
    cancelled: int = 0
    failed: int = 0


class Server:
    def __init__(self, command_ms: float):
        self.command_ms = command_ms
        self.scope = Scope(name="client")
        self.store = Store(self.scope.tool)
        self.plugins = Plugins(self.store)
        self.counters = Counters()
        self._connections: set[Connection] = set()

    async def listen(self, port: int) -> int:
        """Which port it is."""
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(lambda: Connection(self), "127.0.0.1", port, backlog=511)
        return self._listener.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """The commands that run are answered, within a second."""
        self._listener.close()
        for connection in list(self._connections):
            connection.stop()
        await self.scope.drain(1000, "the server stops")
        self.plugins.close()
        self.store.clear()

    def joined(self, client: Connection) -> None:
        self.counters.accepted += 1
        self._connections.add(client)

    def left(self, client: Connection, outcome: Outcome) -> None:
        if outcome.kind == "cancelled":
            self.counters.cancelled += 1
        elif outcome.kind == "error":
            self.counters.failed += 1
        self._connections.discard(client)

    def statistics(self) -> str:
        alive = len(self._connections)
        more = {"connections": alive, "flowsAlive": alive, "waiters": 0}
        return json.dumps({**asdict(self.counters), **more, "timers": self.scope.tool.armed_timers()})
