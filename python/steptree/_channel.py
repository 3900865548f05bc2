"""Channels: values from line to line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ._abi import FOREVER, SHARED, ffi, label, lib, owned
from ._error import check
from ._values import Packed, limit_of, taken

if TYPE_CHECKING:
    from ._accessor import IAsyncSteps

T = TypeVar("T")


class Channel(Generic[T]):
    """Hands values from one line to another, of flows of one thread, or with `any_thread` of any.
    A full one makes who sends wait, an empty one who receives. Guide: docs/python.md#limits"""

    def __init__(self, capacity: float, *, name: str = "", any_thread: bool = False):
        options, into = ffi.new("steptree_channel_options*"), ffi.new("steptree_channel**")
        text = label(name)
        options.size = ffi.sizeof("steptree_channel_options")
        options.capacity, options.name = limit_of(capacity), text
        options.flags = lib.STEPTREE_ANY_THREAD if any_thread else 0
        check(lib.channel_make(options, into))
        self._owned = owned(self, into[0], lib.channel_drop, SHARED, None)

    def native_channel(self) -> Any:
        return self._owned.at

    def send(self, asi: IAsyncSteps, value: T) -> None:
        """Adds a step that sends the value."""
        asi._hold(self)  # pyright: ignore[reportPrivateUsage]
        packed = Packed((value,))
        check(lib.channel_send(self._owned.at, asi.native, packed.at))

    def receive(self, asi: IAsyncSteps) -> None:
        """Adds a step whose result is the next value."""
        asi._hold(self)  # pyright: ignore[reportPrivateUsage]
        check(lib.channel_receive(self._owned.at, asi.native))

    def try_send(self, value: T) -> bool:
        """Sends it, if nobody has to wait for that."""
        packed, done = Packed((value,)), ffi.new("int32_t*")
        check(lib.channel_try_send(self._owned.at, packed.at, done))
        return bool(done[0])

    def try_receive(self, default: Any = None) -> T:
        """The next value, if nobody has to wait for it."""
        into, done = ffi.new("steptree_value*"), ffi.new("int32_t*")
        check(lib.channel_try_receive(self._owned.at, into, done))
        return taken(into) if done[0] else default

    def close(self) -> None:
        """From now on nothing is sent; what is there can be received."""
        check(lib.channel_close(self._owned.at))

    def _read(self) -> Any:
        into = ffi.new("steptree_channel_reading*")
        into.size = ffi.sizeof("steptree_channel_reading")
        check(lib.channel_read(self._owned.at, into))
        return into

    @property
    def closed(self) -> bool:
        return bool(self._read().closed)

    @property
    def size(self) -> int:
        """Values that nobody has received."""
        return self._read().values

    @property
    def available(self) -> float:
        """For so many more there is room."""
        room = self._read().available
        return math.inf if room == FOREVER else room

    @property
    def senders(self) -> int:
        """Steps that wait to send."""
        return self._read().senders

    @property
    def receivers(self) -> int:
        return self._read().receivers
