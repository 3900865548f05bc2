"""The words of an inline command."""

from __future__ import annotations

_BLANK = b" \t\n\v\f\r"
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"a": b"\a"}
_HEX = frozenset(b"0123456789abcdefABCDEF")


def split_inline(line: bytes) -> list[bytes] | None:
    """Separated by blanks, in double quotes (with the escapes \\n \\r \\t \\b \\a \\xHH) or in single
    ones (with \\' only). None: quotes are not closed, or something clings to a closing one."""
    words: list[bytes] = []
    at = 0
    while True:
        while line[at : at + 1] and line[at] in _BLANK:
            at += 1
        if at >= len(line):
            return words
        word = bytearray()
        while at < len(line) and line[at] not in _BLANK:
            quote = line[at : at + 1]
            at += 1
            if quote not in (b'"', b"'"):
                word += quote
                continue
            end = _double(line, at, word) if quote == b'"' else _single(line, at, word)
            if end is None or (end < len(line) and line[end] not in _BLANK):
                return None
            at = end
        words.append(bytes(word))


def _double(line: bytes, at: int, word: bytearray) -> int | None:
    """Where the line goes on after the closing quote."""
    while at < len(line):
        char, after = line[at : at + 1], line[at + 1 : at + 2]
        if char == b'"':
            return at + 1
        digits = line[at + 2 : at + 4]
        if char != b"\\" or not after:
            word += char
            at += 1
        elif after == b"x" and len(digits) == 2 and _HEX.issuperset(digits):
            word.append(int(digits, 16))
            at += 4
        else:
            word += _ESCAPES.get(after, after)
            at += 2
    return None


def _single(line: bytes, at: int, word: bytearray) -> int | None:
    while at < len(line):
        char = line[at : at + 1]
        if char == b"'":
            return at + 1
        escaped = line[at : at + 2] == b"\\'"
        word += b"'" if escaped else char
        at += 2 if escaped else 1
    return None
