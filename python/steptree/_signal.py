"""Signals: "not wanted any more"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._abi import callback, ffi, lib
from ._error import check


class Handle:
    """What can be taken back: a pending callback, a listener, an observation. Any thread."""

    __slots__ = ("_at",)

    def __init__(self, at: Any):
        self._at: Any = ffi.gc(at, lib.handle_drop)

    def cancel(self) -> None:
        lib.handle_cancel(self._at)

    def valid(self) -> bool:
        """It is still to be called."""
        return bool(lib.handle_valid(self._at))


class Signal:
    """Aborted once, from any thread; ends the flows that are executed with it."""

    __slots__ = ("native",)

    def __init__(self, at: Any = None):
        if at is None:
            into = ffi.new("steptree_signal**")
            check(lib.signal_make(into))
            at = into[0]
        self.native: Any = ffi.gc(at, lib.signal_drop)

    def abort(self) -> bool:
        """True the first time. That of a step is the step's: False."""
        return bool(lib.signal_abort(self.native))

    def aborted(self) -> bool:
        return bool(lib.signal_aborted(self.native))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signal) and bool(lib.signal_same(self.native, other.native))

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def listen(self, call: Callable[[], object]) -> Handle:
        """Calls back when it's aborted, as long as the handle is kept."""
        into = ffi.new("steptree_handle**")
        check(lib.signal_listen(self.native, callback(call), into))
        return Handle(into[0])
