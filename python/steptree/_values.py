"""Values on their way: None, bool, int, float, str, bytes, list and dict are those of the other
languages, and copied; any other object is carried as it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, cast

from ._abi import FOREVER, LEAST, decoded, ffi, keep, lib, string, things
from ._error import StepError

_BOOL, _INT, _DOUBLE, _STRING, _BYTES, _LIST, _MAP, _OPAQUE = range(1, 9)

Ms = float | timedelta
"""Milliseconds, or a timedelta."""


def ms_of(given: Ms) -> float:
    return given.total_seconds() * 1000 if isinstance(given, timedelta) else given


def limit_of(given: float) -> int:
    """A limit: infinity is none at all."""
    if given == math.inf:
        return FOREVER
    if given != given or int(given) != given:
        raise StepError("InternalError", f"a limit has to be a whole number, not {given}")
    return int(given)


class Packed:
    """Values for a call, which copies them: `at` and `count`."""

    __slots__ = ("at", "count", "_alive", "_numbers")

    def __init__(self, values: Sequence[object]):
        self._alive: list[Any] = []
        self._numbers: list[int] = []
        self.count = len(values)
        self.at: Any = self._array(values)

    def _array(self, values: Sequence[object]) -> Any:
        at = ffi.new("steptree_value[]", len(values))
        self._alive.append(at)
        try:
            for number, value in enumerate(values):
                self._write(at + number, value)
        except BaseException:
            for number in self._numbers:
                things.pop(number, None)
            self._numbers.clear()
            raise
        return at

    def _write(self, to: Any, value: Any) -> None:
        kind = cast("type[object]", type(value))
        if value is None:
            return
        if kind is int and LEAST <= value <= FOREVER:
            lib.set_int(to, value)
        elif kind is str or kind is bytes:
            data = value.encode() if kind is str else value
            buffer = ffi.from_buffer(data)
            self._alive.append(buffer)
            lib.set_text(to, _STRING if kind is str else _BYTES, buffer, len(data))
        elif kind is float:
            lib.set_double(to, value)
        elif kind is bool:
            lib.set_bool(to, value)
        elif kind is list:
            lib.set_list(to, self._array(value), len(value))
        elif kind is dict:
            self._write_map(to, value)
        else:
            number = keep(value)
            self._numbers.append(number)
            lib.set_object(to, number)

    def _write_map(self, to: Any, value: dict[object, object]) -> None:
        at = ffi.new("steptree_entry[]", len(value))
        self._alive.append(at)
        for number, (key, inside) in enumerate(value.items()):
            self._write(ffi.addressof(at[number], "key"), key)
            self._write(ffi.addressof(at[number], "value"), inside)
        lib.set_map(to, at, len(value))


def read(of: Any) -> Any:
    """A value of the runtime."""
    kind = of.tag
    if kind == _INT:
        return lib.int_in(of)
    if kind == _STRING:
        return decoded(lib.data_in(of), lib.count_in(of))
    if kind == 0:
        return None
    if kind == _BOOL:
        return lib.int_in(of) != 0
    if kind == _DOUBLE:
        return lib.double_in(of)
    if kind == _BYTES:
        size = lib.count_in(of)
        return ffi.unpack(lib.data_in(of), size) if size else b""
    if kind == _LIST:
        return read_all(lib.items_in(of), lib.count_in(of))
    if kind == _MAP:
        entries = lib.entries_in(of)
        return {
            _key(read(ffi.addressof(entries[i], "key"))): read(ffi.addressof(entries[i], "value"))
            for i in range(lib.count_in(of))
        }
    number = lib.object_in(of)
    if number == 0:
        raise StepError("InternalError", f"a value of C++: {string(lib.kind_name(of))}")
    return things[number]


def _key(key: Any) -> Any:
    return tuple(key) if isinstance(key, list) else key  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def read_all(values: Any, count: int) -> list[Any]:
    return [read(values + i) for i in range(count)]


def taken(of: Any) -> Any:
    """A value that is owned: read, and dropped."""
    try:
        return read(of)
    finally:
        lib.value_drop(of)
