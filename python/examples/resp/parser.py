"""What clients send: arrays of bulk strings, or a line of words."""

from __future__ import annotations

import re

from inline import split_inline

_WHOLE = re.compile(rb"0|-?[1-9][0-9]{0,18}")  # in its one spelling
_LINE, _ARGS, _BULK, _REQUEST = 64 * 1024, 65_536, 8 * 1024 * 1024, 16 * 1024 * 1024


class ProtocolError(Exception):
    """The input is no RESP: nothing more of it is looked at."""


class Parser:
    """Turns bytes as they come into commands. A command that has begun is in `_args`, `_missing` of
    its arguments haven't come yet, `_length` is that of the next one; None: not known yet."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._args: list[bytes] = []
        self._missing = 0
        self._length: int | None = None
        self._size = 0

    @property
    def pending(self) -> int:
        """Bytes that aren't taken."""
        return len(self._bytes)

    def feed(self, data: bytes) -> None:
        self._bytes += data

    def next(self) -> list[bytes] | None:
        """The next complete command: name and arguments. None: it hasn't come yet."""
        while self._argument() if self._missing else self._beginning():
            if self._missing == 0 and self._args:
                args, self._args, self._size = self._args, [], 0
                return args
        return None

    def _beginning(self) -> bool:
        """False: more bytes are needed."""
        counts = self._bytes.startswith(b"*")
        line = self._line("too big mbulk count string" if counts else "too big inline request")
        if line is None:
            return False
        if counts:
            self._missing = max(0, _number(line, _ARGS, "invalid multibulk length"))
            return True
        words = split_inline(line)
        if words is None:
            raise ProtocolError("unbalanced quotes in request")
        self._args = words
        return True

    def _argument(self) -> bool:
        if self._length is None:
            kind = self._bytes[:1].decode("latin1")
            line = self._line("too big bulk count string")
            if line is None:
                return False
            if kind != "$":
                raise ProtocolError(f"expected '$', got '{kind}'")
            length = _number(line, _BULK, "invalid bulk length")
            if length < 0:
                raise ProtocolError("invalid bulk length")
            self._length = length
            self._size += self._length
            if self._size > _REQUEST:
                raise ProtocolError("too big request")
        if len(self._bytes) < self._length + 2:
            return False
        self._args.append(bytes(self._bytes[: self._length]))
        del self._bytes[: self._length + 2]
        self._length = None
        self._missing -= 1
        return True

    def _line(self, too_big: str) -> bytes | None:
        end = self._bytes.find(b"\n", 0, _LINE)
        if end < 0 and len(self._bytes) > _LINE:
            raise ProtocolError(too_big)
        if end < 0:
            return None
        line = bytes(self._bytes[:end]).removesuffix(b"\r")
        del self._bytes[: end + 1]
        return line


def _number(line: bytes, most: int, wrong: str) -> int:
    text = line[1:]
    if not _WHOLE.fullmatch(text) or int(text) > most:
        raise ProtocolError(wrong)
    return int(text)
