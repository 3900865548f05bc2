"""Guards: who may go on."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ._abi import DROP, FOREVER, SHARED, data_of, ffi, keep, label, lend, lib, owned, pointer
from ._error import StepError, check
from ._outcome import Outcome
from ._run import only
from ._values import Ms, limit_of, ms_of

if TYPE_CHECKING:
    from ._accessor import IAsyncSteps
    from ._operation import Completion

_MUTEX, _THROTTLE, _LIMITER, _RWLOCK, _GATE, _BARRIER, _BREAKER = range(1, 8)
_ALGORITHMS = {"fixed": 1, "sliding": 2, "bucket": 3}
_MEMBERS: dict[str, int] = {
    "max": lib.STEPTREE_GIVEN_MAX,
    "max_queue": lib.STEPTREE_GIVEN_MAX_QUEUE,
    "rate": lib.STEPTREE_GIVEN_RATE,
    "period": lib.STEPTREE_GIVEN_PERIOD,
    "burst": lib.STEPTREE_GIVEN_BURST,
    "calls": lib.STEPTREE_GIVEN_CALLS,
    "min_calls": lib.STEPTREE_GIVEN_MIN_CALLS,
    "open_for": lib.STEPTREE_GIVEN_OPEN_FOR,
    "probes": lib.STEPTREE_GIVEN_PROBES,
}
"""Members that have a default."""
_STATES = ("", "closed", "open", "halfOpen")


class Guarding(Protocol):
    """What a section can be behind."""

    def native_add(self, to: Any, code: Any) -> Any: ...
    def native_define(self, code: Any, into: Any) -> Any: ...


class _Held:
    """What a task of asyncio has: a section that waits until it is let go."""

    def __init__(self) -> None:
        self.locked: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def body(self, asi: IAsyncSteps) -> None:
        done = asi.wait_external()
        if not self.locked.done():
            self.locked.set_result(done)

    def done(self, outcome: Outcome) -> None:
        if not self.locked.done() and outcome.kind != "ok":
            error = outcome.error or StepError("Canceled", outcome.reason)
            self.locked.set_exception(error)
        if not self.ended.done():
            self.ended.set_result(None)


class _Section:
    """A section in plain asyncio code: `async with guard:`."""

    _held: dict[Any, list[_Held]]

    async def __aenter__(self) -> None:
        from ._definition import sync
        from ._signal import Signal
        from ._tool import default_tool

        held, signal = _Held(), Signal()
        default_tool().start(sync(self, held.body), done=held.done, signal=signal)  # pyright: ignore[reportArgumentType]
        try:
            await asyncio.shield(held.locked)
        except asyncio.CancelledError:
            held.locked.cancel()
            signal.abort()
            await asyncio.shield(held.ended)
            raise
        if not hasattr(self, "_held"):
            self._held = {}
        self._held.setdefault(asyncio.current_task(), []).append(held)

    async def __aexit__(self, *_: object) -> None:
        task = asyncio.current_task()
        held = self._held[task].pop()
        if not self._held[task]:
            del self._held[task]
        held.locked.result().success()
        await asyncio.shield(held.ended)


class Guard(_Section):
    """A guard, for flows of one thread, or with `any_thread` of any.

    `async with guard:` locks it in plain asyncio code. Guide: docs/python.md#limits
    """

    def __init__(self, kind: int, **given: Any):
        options = ffi.new("steptree_guard_options*")
        self._alive = fill(options, kind, given)
        into = ffi.new("steptree_guard**")
        check(lib.guard_make(options, into))
        self._owned = owned(self, into[0], lib.guard_drop, SHARED, None)

    @property
    def native(self) -> Any:
        return self._owned.at

    def native_add(self, to: Any, code: Any) -> Any:
        return lib.add_sync(to, self.native, code)

    def native_define(self, code: Any, into: Any) -> Any:
        return lib.define_sync(self.native, code, into)

    def _read(self) -> Any:
        into = reading()
        check(lib.guard_read(self.native, into))
        return into

    @property
    def waiting(self) -> int:
        """Lines that wait."""
        return self._read().waiting

    @property
    def active(self) -> int:
        """Lines that are in."""
        return self._read().active

    @property
    def available(self) -> float:
        """How many would be let in now."""
        return _count(self._read().available)

    def figures(self) -> dict[str, Any]:
        """All that it says of itself: `waiting`, `active`, `available`, `state`."""
        return numbers(self._read())


def reading() -> Any:
    into = ffi.new("steptree_guard_reading*")
    into.size = ffi.sizeof("steptree_guard_reading")
    return into


def _count(number: int) -> float:
    return math.inf if number == FOREVER else number


def fill(options: Any, kind: int, given: dict[str, Any]) -> list[Any]:
    """Fills the options of a guard; what this returns has to live as long as these."""
    alive: list[Any] = [label(given.get("name"))]
    options.size, options.kind = ffi.sizeof("steptree_guard_options"), kind
    options.name = alive[0]
    for name, bit in _MEMBERS.items():
        number = given.get(name)
        if number is not None:
            options.given |= bit
            setattr(options, name, limit_of(ms_of(number)))
    options.parties = given.get("parties", 0)
    algorithm = given.get("algorithm")
    if algorithm is not None:
        options.given |= lib.STEPTREE_GIVEN_ALGORITHM
        options.algorithm = _ALGORITHMS[algorithm]
    if given.get("abandoned") == "release":
        options.flags |= lib.STEPTREE_RELEASES
    if not given.get("open", True):
        options.flags |= lib.STEPTREE_CLOSED
    if given.get("any_thread"):
        options.flags |= lib.STEPTREE_ANY_THREAD
    if given.get("share") is not None:
        options.given |= lib.STEPTREE_GIVEN_SHARE
        options.share = given["share"]
    failure = given.get("failure")
    if failure is not None:
        options.failure, options.data, options.drop = _FAILURE, data_of(keep(failure)), DROP
    return alive


_FAILURE, _LOCK = pointer("c_failure"), pointer("c_lock")
_DEFERRED, _KEY = pointer("c_deferred"), pointer("c_key")
Abandoned = Literal["keep", "release"]


class Side(_Section):
    """A part of a guard: a side of an RwLock, places of a Mutex."""

    def __init__(self, of: Guard, call: Any, *args: Any):
        into = ffi.new("steptree_guard**")
        check(call(of.native, *args, into))
        self._of = of
        self._at = into[0]

    def native_add(self, to: Any, code: Any) -> Any:
        return lib.add_sync(to, self._at, code)

    def native_define(self, code: Any, into: Any) -> Any:
        return lib.define_sync(self._at, code, into)

    def _read(self) -> Any:
        into = reading()
        check(lib.guard_read(self._at, into))
        return into

    waiting = Guard.waiting
    active = Guard.active
    figures = Guard.figures


class Mutex(Guard):
    """One line at a time, or `max`."""

    def __init__(
        self,
        max: float | None = None,
        *,
        max_queue: float | None = None,
        name: str = "",
        abandoned: Abandoned = "keep",
        any_thread: bool = False,
    ):
        super().__init__(
            _MUTEX,
            max=max,
            max_queue=max_queue,
            name=name,
            abandoned=abandoned,
            any_thread=any_thread,
        )

    def places(self, count: int) -> Side:
        """Takes so many of its places."""
        return Side(self, lib.guard_places, count)


class Throttle(Guard):
    """So many in a period; `burst`: tokens that may be saved up."""

    def __init__(
        self,
        max: float,
        *,
        period: Ms | None = None,
        max_queue: float | None = None,
        algorithm: Literal["fixed", "sliding", "bucket"] | None = None,
        burst: float | None = None,
        name: str = "",
        any_thread: bool = False,
    ):
        super().__init__(
            _THROTTLE,
            max=max,
            period=period,
            max_queue=max_queue,
            algorithm=algorithm,
            burst=burst,
            name=name,
            any_thread=any_thread,
        )


class Limiter(Guard):
    """So many at a time, and so many in a period."""

    def __init__(
        self,
        concurrent: float | None = None,
        *,
        rate: float | None = None,
        period: Ms | None = None,
        burst: float | None = None,
        max_queue: float | None = None,
        name: str = "",
        abandoned: Abandoned = "keep",
        any_thread: bool = False,
    ):
        super().__init__(
            _LIMITER,
            max=concurrent,
            rate=rate,
            period=period,
            burst=burst,
            max_queue=max_queue,
            name=name,
            abandoned=abandoned,
            any_thread=any_thread,
        )


class RwLock(Guard):
    """Many that read, or one that writes: `lock.read`, `lock.write` are the guards."""

    def __init__(
        self,
        *,
        max_queue: float | None = None,
        name: str = "",
        abandoned: Abandoned = "keep",
        any_thread: bool = False,
    ):
        super().__init__(
            _RWLOCK, max_queue=max_queue, name=name, abandoned=abandoned, any_thread=any_thread
        )
        self.read = Side(self, lib.guard_read_side)
        self.write = Side(self, lib.guard_write_side)


class _Waited(Guard):
    def wait(self, asi: IAsyncSteps) -> None:
        """Adds a step that waits there."""
        asi._hold(self)  # pyright: ignore[reportPrivateUsage]
        check(lib.guard_wait(self.native, asi.native))


class Gate(_Waited):
    """Everybody, or nobody, as you say."""

    def __init__(
        self,
        open: bool = True,
        *,
        max_queue: float | None = None,
        name: str = "",
        any_thread: bool = False,
    ):
        super().__init__(
            _GATE, open=open, max_queue=max_queue, name=name, any_thread=any_thread
        )

    def open(self) -> None:
        check(lib.guard_open(self.native))

    def close(self) -> None:
        check(lib.guard_close(self.native))


class Barrier(_Waited):
    """Lets `parties` lines go on together: `barrier.wait(asi)`."""

    def __init__(self, parties: int, *, any_thread: bool = False):
        super().__init__(_BARRIER, parties=parties, any_thread=any_thread)


class Breaker(Guard):
    """Nobody for a while, after too much of what it let in has failed.

    `rate`: the share of failures, among the last `calls` or those of `period`, from which it opens;
    `on`: whether an error is a failure.
    """

    def __init__(
        self,
        *,
        rate: float | None = None,
        calls: float | None = None,
        period: Ms | None = None,
        min_calls: float | None = None,
        open_for: Ms | None = None,
        probes: float | None = None,
        max_queue: float | None = None,
        on: Callable[[StepError], object] | None = None,
        name: str = "",
        any_thread: bool = False,
    ):
        super().__init__(
            _BREAKER,
            share=rate,
            calls=calls,
            period=period,
            min_calls=min_calls,
            open_for=open_for,
            probes=probes,
            max_queue=max_queue,
            failure=on,
            name=name,
            any_thread=any_thread,
        )

    @property
    def state(self) -> str:
        """`closed`, `open` or `halfOpen`."""
        state: int = self._read().state
        return _STATES[state]


class CustomGuard(_Section):
    """A guard of your own: `lock(asi)` is the body of a step, `unlock(asi, outcome)` a deferred
    function."""

    def __init__(
        self,
        lock: Callable[[IAsyncSteps], object],
        unlock: Callable[[IAsyncSteps, Outcome], object],
    ):
        self.lock = lock
        self.unlock = unlock
        self._own = _Own(lock, unlock)
        given = ffi.new("steptree_custom_guard*")
        given.size = ffi.sizeof("steptree_custom_guard")
        given.lock, given.unlock, given.drop = _LOCK, _DEFERRED, DROP
        given.data = data_of(lend(self._own))
        into = ffi.new("steptree_guard**")
        check(lib.guard_make_custom(given, into))
        self._owned = owned(self, into[0], lib.guard_drop, SHARED, None)

    def native_add(self, to: Any, code: Any) -> Any:
        return lib.add_sync(to, self._owned.at, code)

    def native_define(self, code: Any, into: Any) -> Any:
        return lib.define_sync(self._owned.at, code, into)


class _Own:
    __slots__ = ("lock", "unlock", "__weakref__")

    def __init__(self, lock: Any, unlock: Any):
        self.lock = lock
        self.unlock = unlock


class Keyed:
    """A guard for each key: `make(key)` gives its options.

    users = Keyed(Limiter, lambda user: {"concurrent": 1, "name": user})
    sync(users.of("ann"), upload)
    """

    def __init__(
        self,
        kind: type[Mutex] | type[Throttle] | type[Limiter] | type[Breaker],
        make: Callable[[str], dict[str, Any]],
    ):
        number = {Mutex: _MUTEX, Throttle: _THROTTLE, Limiter: _LIMITER, Breaker: _BREAKER}[kind]
        into = ffi.new("steptree_keyed**")
        options = _KeyOptions(number, make)
        check(lib.guard_make_keyed(number, _KEY, data_of(keep(options)), DROP, into))
        self._owned = owned(self, into[0], lib.guard_drop_keyed, SHARED, None)

    @property
    def native(self) -> Any:
        return self._owned.at

    def of(self, key: str) -> KeyedGuard:
        return KeyedGuard(self, key)

    @property
    def size(self) -> int:
        """How many keys have one."""
        into = ffi.new("int64_t*")
        check(lib.guard_keyed_size(self.native, into))
        return into[0]

    def read(self, key: str) -> dict[str, Any] | None:
        """What the guard of a key says: `waiting`, `active`, `available`, `state`; None: there is
        none."""
        into, has = reading(), ffi.new("int32_t*")
        check(lib.guard_read_key(self.native, label(key), into, has))
        return numbers(into) if has[0] else None


def numbers(of: Any) -> dict[str, Any]:
    """What a guard has told; without what it has not."""
    made: dict[str, Any] = {}
    for name in ("waiting", "active", "available"):
        if getattr(of, name) >= 0:
            made[name] = _count(getattr(of, name))
    if of.state:
        made["state"] = _STATES[of.state]
    return made


_KNOWN = {
    kind: [*inspect.signature(guard.__init__).parameters][1:]
    for kind, guard in ((_MUTEX, Mutex), (_THROTTLE, Throttle), (_LIMITER, Limiter), (_BREAKER, Breaker))
}


class _KeyOptions:
    """Says what a key's guard is like; what that lives by is kept until the next one."""

    def __init__(self, kind: int, make: Callable[[str], dict[str, Any]]):
        self._kind = kind
        self._make = make
        self._alive: list[Any] = []

    def __call__(self, key: str, options: Any) -> None:
        given = dict(self._make(key))
        only(given, _KNOWN[self._kind])
        if self._kind == _LIMITER:
            given["max"] = given.pop("concurrent", None)
        if self._kind == _BREAKER:
            given["share"], given["failure"] = given.pop("rate", None), given.pop("on", None)
        self._alive = fill(options, self._kind, given)


class KeyedGuard(_Section):
    """The guard of a key."""

    def __init__(self, keyed: Keyed, key: str):
        self._keyed = keyed
        self._key = key

    def native_add(self, to: Any, code: Any) -> Any:
        return lib.add_sync_key(to, self._keyed.native, label(self._key), code)

    def native_define(self, code: Any, into: Any) -> Any:
        return lib.define_sync_key(self._keyed.native, label(self._key), code, into)
