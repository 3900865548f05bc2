"""What all steps of a flow share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._abi import ffi, label, lib
from ._error import check
from ._values import Packed, read


class State:
    """Values by their names: `asi.state["user"] = "Ann"`."""

    __slots__ = ("_at",)

    def __init__(self, at: Callable[[], Any]):
        self._at = at

    def __getitem__(self, key: str) -> Any:
        if key not in self:
            raise KeyError(key)
        into = ffi.new("steptree_value*")
        check(lib.state_get(self._at(), label(key), into))
        return read(into)

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default

    def __setitem__(self, key: str, value: object) -> None:
        packed = Packed((value,))
        check(lib.state_set(self._at(), label(key), packed.at))

    def __delitem__(self, key: str) -> None:
        check(lib.state_erase(self._at(), label(key)))

    def __contains__(self, key: str) -> bool:
        return bool(lib.state_has(self._at(), label(key)))

    def clear(self) -> None:
        check(lib.state_clear(self._at()))
