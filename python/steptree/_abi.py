"""The C interface as Python has it: objects by numbers, texts, and what has to be dropped.

The runtime keeps a number for each object of Python, until it drops that: any thread may do so.
"""

import atexit
import itertools
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

from ._steptree import ffi, lib

NULL: Any = ffi.NULL
FOREVER = 2**63 - 1
LEAST = -(2**63)

_why = ffi.new("const char**")
if not lib.load(_why):
    raise ImportError(ffi.string(_why[0]).decode(errors="replace"))
atexit.register(lib.end_of_python)

# ---- objects by their numbers ----

things: dict[int, Any] = {}
_next = itertools.count(1)


def keep(thing: object) -> int:
    """The number of an object, which is kept until the runtime drops it."""
    number = next(_next)
    things[number] = thing
    return number


loose: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
"""What isn't kept by the runtime, but by the object of Python that has given it: the garbage
collector sees that, and whatever cycles lead through it."""


def lend(thing: object) -> int:
    """The number of an object that somebody else keeps, as long as the runtime may use it."""
    number = next(_next)
    loose[number] = thing
    return number


def thing_of(number: int) -> Any:
    found = things.get(number)
    return loose[number] if found is None else found


def pointer(name: str) -> Any:
    """A function of the glue, as what the runtime is given."""
    return ffi.addressof(lib, name)


DROP: Any = pointer("c_drop")


def data_of(number: int) -> Any:
    return ffi.cast("void*", number)


def callback(call: Callable[[], object]) -> Any:
    """Something that is called back; what it raises goes to the tool that runs."""
    made = ffi.new("steptree_callback*")
    made.call, made.data, made.drop = pointer("c_call"), data_of(keep(call)), DROP
    return made


# ---- texts ----

_bytes_of: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()


def text(given: str) -> Any:
    """A text, lent as long as what this returns is kept."""
    data = given.encode()
    buffer = ffi.from_buffer(data)
    made = ffi.new("steptree_text*", (buffer, len(data)))[0]
    _bytes_of[made] = buffer
    return made


NO_TEXT: Any = lib.no_text()


def label(given: str | None) -> Any:
    return NO_TEXT if not given else text(given)


def string(of: Any) -> str:
    return decoded(of.data, of.size)


def decoded(data: Any, size: int) -> str:
    """A text of the runtime: of a plug-in that may be anything. What is no UTF-8 becomes U+FFFD."""
    return ffi.unpack(data, size).decode(errors="replace") if size else ""


# ---- what runs on this thread ----


class Running(threading.local):
    """How deep this thread is inside of tools, and what has been raised there."""

    depth = 0
    within: Any = None
    """The context of the flow whose code runs."""
    tool: Any = None
    """The tool that runs."""
    last: Any = None
    """The error that was given to the runtime last."""

    def __init__(self) -> None:
        self.raised: list[BaseException] = []


running = Running()

# ---- dropping ----
#
# The garbage collector runs at any time and on any thread, also inside of a callback. So what
# belongs to a thread is dropped later, by that thread, when no callback of it is on the stack:
# flows and the like first, then hosts of plug-ins, then tools, then guards and channels, which have
# to outlive them.

FLOW, HOST, TOOL, SHARED = 0, 1, 2, 3


class Owned:
    """Something of the runtime that one thread may use, and has to drop."""

    __slots__ = ("at", "dropped", "_drop", "_rank", "_thread", "_inside", "_of")

    def __init__(self, at: Any, drop: Callable[[Any], None], rank: int, of: "Owned | None" = None):
        self.at: Any = at
        self.dropped = False
        self._drop = drop
        self._rank = rank
        self._thread = threading.get_ident()
        self._inside: dict[int, Owned] = {}
        self._of = of
        if of is not None:
            of._inside[id(self)] = self

    def drop(self) -> None:
        """Drops it, after all that is inside."""
        if self.dropped:
            return
        self.dropped = True
        while self._inside:
            for each in sorted(self._inside.values(), key=lambda one: one.rank):
                each.drop()
        if self._of is not None:
            self._of._inside.pop(id(self), None)
        self._drop(self.at)

    def late(self) -> None:
        _late.append(self)

    @property
    def rank(self) -> int:
        return self._rank

    @property
    def here(self) -> bool:
        return self._thread == threading.get_ident()


_late: deque[Owned] = deque()


def owned(by: object, at: Any, drop: Callable[[Any], None], rank: int, of: Owned | None) -> Owned:
    """Drops `at` some time after the garbage collector has taken `by`."""
    made = Owned(at, drop, rank, of)
    weakref.finalize(by, made.late).atexit = False
    return made


def drop_late() -> None:
    """Drops what this thread has to drop; nothing while a tool of it runs."""
    if running.depth or not _late:
        return
    waiting = [_late.popleft() for _ in range(len(_late))]
    for each in sorted(waiting, key=lambda one: one.rank):
        if each.here:
            each.drop()
        else:
            _late.append(each)
    tell_raised()


def tell_raised() -> None:
    """What was raised while nothing ran that could raise it: as in a finalizer."""
    raised, running.raised = running.raised, []
    for error in raised:
        told = (type(error), error, error.__traceback__, "in a callback of steptree", None)
        sys.unraisablehook(_Unraisable(told))


class _Unraisable:
    def __init__(self, told: tuple[Any, ...]):
        self.exc_type, self.exc_value, self.exc_traceback, self.err_msg, self.object = told
