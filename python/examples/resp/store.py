"""The keys and their texts. A key that has expired is gone, whether its timer has run or not."""

from __future__ import annotations

from dataclasses import dataclass

from steptree import Handle, Tool


@dataclass
class _Entry:
    text: bytes
    expires: float = float("inf")
    """On the tool's clock."""
    timer: Handle | None = None


class Store:
    def __init__(self, tool: Tool):
        self._tool = tool
        self._entries: dict[bytes, _Entry] = {}

    def get(self, key: bytes) -> bytes | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry.expires > self._tool.now():
            return entry.text
        self._remove(key)
        return None

    def put(self, key: bytes, text: bytes, ms: int | None = None) -> None:
        """Replaces text and expiry; `ms`: after which it is gone."""
        self._remove(key)
        entry = self._entries[key] = _Entry(text)
        if ms is not None:
            entry.expires = self._tool.now() + ms
            entry.timer = self._tool.deferred(ms, lambda: self.get(key))

    def clear(self) -> None:
        """No timer of it is left."""
        for key in list(self._entries):
            self._remove(key)

    def _remove(self, key: bytes) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None and entry.timer is not None:
            entry.timer.cancel()
