"""Replies as they go over the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steptree import StepError

OK = b"+OK\r\n"
PONG = b"+PONG\r\n"
NULL = b"$-1\r\n"


def error(text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return b"-" + data.replace(b"\r", b" ").replace(b"\n", b" ") + b"\r\n"


def integer(value: int) -> bytes:
    return b":%d\r\n" % value


def bulk(text: bytes | str) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return b"$%d\r\n%b\r\n" % (len(data), data)


def array(items: Sequence[bytes]) -> bytes:
    return b"*%d\r\n" % len(items) + b"".join(items)


def of_values(left: Sequence[Any]) -> bytes:
    """What a plug-in has left: a string or bytes are a bulk string, whole numbers and bools are
    integers, lists and several values are arrays, nothing is the null bulk."""
    if not left:
        return NULL
    return _of(left[0]) if len(left) == 1 else array([_of(value) for value in left])


def _of(value: Any) -> bytes:
    if value is None:
        return NULL
    if isinstance(value, (str, bytes)):
        return bulk(value)
    if isinstance(value, float):
        if not value.is_integer() or not -(2**63) < value < 2**63:
            raise _refused("a fraction")
        return integer(int(value))
    if isinstance(value, int):
        return integer(value)
    if isinstance(value, list):
        return array([_of(item) for item in value])  # pyright: ignore[reportUnknownVariableType]
    raise _refused("a map" if isinstance(value, dict) else "something opaque")


def _refused(what: str) -> StepError:
    return StepError("InternalError", f"no command replies with {what}")
