"""Steps as values: described once, run any number of times."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any, Concatenate, Generic, TypeAlias, TypeVar, cast, overload

from ._abi import DROP, FOREVER, SHARED, data_of, ffi, keep, label, lend, lib, owned, pointer
from ._adder import elements_of
from ._closure import Body, Code, Handler, closure
from ._error import StepError, check
from ._values import Ms, Packed, ms_of

if TYPE_CHECKING:
    from ._accessor import IAsyncSteps
    from ._guard import Guarding

T = TypeVar("T", covariant=True)
R = TypeVar("R")


class Step(Generic[T]):
    """A description of a step, which never changes; each call of it gives another one.

    Guide: docs/values.md#a-step-is-a-value
    """

    __slots__ = ("_native", "holds", "_text", "__weakref__")

    def __init__(self, native: Any, holds: tuple[object, ...], text: str):
        self._native: Any = ffi.gc(native, lib.define_drop)
        self.holds = holds
        self._text = text

    def __repr__(self) -> str:
        return f"<Step {self._text}>"

    @property
    def native(self) -> Any:
        return self._native

    def _made(self, call: Any, *args: Any, holds: tuple[object, ...] = ()) -> Step[T]:
        return made(self._text, (self, *holds), call, self._native, *args)

    def timeout(self, ms: Ms, code: str | None = None) -> Step[T]:
        """The same with a deadline: `Timeout`, or the code."""
        given = lib.no_text() if code is None else label(code) if code else lib.empty_text()
        return self._made(lib.define_timeout, ms_of(ms), given)

    def on_error(self, handler: Handler) -> Step[T]:
        """The same with a handler for its errors: `handler(asi, code)`."""
        code, holds = _lent(None, handler)
        return self._made(lib.define_on_error, code, holds=holds)

    def named(self, name: str) -> Step[T]:
        """The same with a name, which paths show."""
        return made(name, (self,), lib.define_named, self._native, label(name))

    def with_(self, *values: object) -> Step[T]:
        """The same with these values, instead of those that it finds."""
        packed = Packed(values)
        return self._made(lib.define_bound, packed.at, packed.count)


def _lent(
    body: Body | None, onerror: Handler | None = None, gives: bool = True
) -> tuple[Any, tuple[object, ...]]:
    """A closure, and the code, which whoever has the closure has to hold."""
    codes: list[Code] = []

    def number_of(code: Code) -> int:
        codes.append(code)
        return lend(code)

    return closure(body, onerror, gives=gives, number_of=number_of), tuple(codes)


def made(text: str, holds: tuple[object, ...], call: Any, *args: Any) -> Step[Any]:
    into = ffi.new("const steptree_definition**")
    check(call(*args, into))
    return Step(into[0], holds, text)


Part: TypeAlias = "Step[Any] | Body"


def _named(body: Body) -> str:
    return getattr(body, "__name__", type(body).__name__)


@overload
def step(body: Step[R]) -> Step[R]: ...
@overload
def step(body: Callable[Concatenate[IAsyncSteps, ...], Awaitable[R]]) -> Step[R]: ...
@overload
def step(body: Callable[Concatenate[IAsyncSteps, ...], Step[R]]) -> Step[R]: ...
@overload
def step(body: Callable[Concatenate[IAsyncSteps, ...], R]) -> Step[R]: ...
def step(body: Any) -> Step[Any]:
    """A step with that body, which gets the accessor and values. Also as a decorator:

    @step
    def greet(asi: IAsyncSteps, name: str) -> str:
        return f"Hello {name}"
    """
    if isinstance(body, Step):
        return body  # pyright: ignore[reportUnknownVariableType]
    code, holds = _lent(body)
    return made(_named(body), holds, lib.define_step, code)


def _body(body: Part, gives: bool = True) -> tuple[Any, tuple[object, ...]]:
    """A closure, and what it holds."""
    if isinstance(body, Step):
        value = cast("Step[Any]", body)
        return closure(None, value=value.native), (value,)
    return _lent(body, gives=gives)


def _of_parts(text: str, call: Any, parts: tuple[Part, ...]) -> Step[Any]:
    all_of = [step(part) for part in parts]
    natives = ffi.new("const steptree_definition*[]", [each.native for each in all_of])
    return made(text, tuple(all_of), call, natives, len(all_of))


def steps(*parts: Part) -> Step[Any]:
    """One after the other; each gets what the one before has left."""
    return _of_parts("steps", lib.define_steps, parts)


def parallel(*branches: Part) -> Step[Any]:
    """Side by side, without a result; the first error cancels the others."""
    return _of_parts("parallel", lib.define_parallel, branches)


def all(*branches: Part) -> Step[list[Any]]:
    """The same with a list of the results, in the order of the branches."""
    return _of_parts("all", lib.define_all, branches)


def race(*branches: Part) -> Step[Any]:
    """The first that ends, well or not, decides; the others are cancelled."""
    return _of_parts("race", lib.define_race, branches)


def any(*branches: Part) -> Step[Any]:
    """The first that ends well decides; `AllFailed` if none does."""
    return _of_parts("any", lib.define_any, branches)


def loop(body: Part, label: str = "") -> Step[None]:
    """Runs the body, without values, until `break_loop`."""
    code, holds = _body(body, False)
    return made("loop", holds, lib.define_repeat_until_break, code, _label(label))


def repeat(count: int, body: Part, label: str = "") -> Step[None]:
    """Runs the body `count` times, with the numbers from 0 on."""
    code, holds = _body(body, False)
    return made("repeat", holds, lib.define_repeat, count, code, _label(label))


def for_each(collection: Any, body: Part, label: str = "") -> Step[None]:
    """Runs the body for each element, with its number; of a dict with its key; of a channel until
    that is closed and empty."""
    code, holds = _body(body, False)
    channel = getattr(collection, "native_channel", None)
    if channel is not None:
        holds = (*holds, collection)
        return made("for_each", holds, lib.define_for_each_of, channel(), code, _label(label))
    packed = Packed((elements_of(collection),))
    return made("for_each", holds, lib.define_for_each, packed.at, code, _label(label))


def sync(guard: Guarding, body: Part) -> Step[Any]:
    """A section: the body runs once the guard is locked, which is unlocked on every way out."""
    code, holds = _body(body)
    return made("sync", (*holds, guard), guard.native_define, code)


def delay(ms: Ms) -> Step[None]:
    """Ends after so long."""
    return made("delay", (), lib.define_delay, ms_of(ms))


def shield(limit: Ms, body: Part) -> Step[Any]:
    """What is outside isn't seen inside, for so long at most."""
    code, holds = _body(body)
    return made("shield", holds, lib.define_shield, ms_of(limit), code)


def _within(call: Callable[..., R]) -> Callable[..., R]:
    """A function that is told nothing of a flow: in a copy of the context of whoever has given it."""
    context = copy_context()
    return lambda *args: context.copy().run(call, *args)


# ---- trying again ----

On = Iterable[str] | Callable[[StepError], float | bool | None]
"""After which errors: their codes, or a function that answers True, False, or after how many ms."""


class RetryBudget:
    """Bounds the retries and hedges that share it: tokens, of which a success puts back `ratio`."""

    def __init__(self, capacity: int, ratio: float):
        into = ffi.new("steptree_budget**")
        check(lib.define_make_budget(capacity, ratio, into))
        self._owned = owned(self, into[0], lib.define_drop_budget, SHARED, None)

    @property
    def native(self) -> Any:
        return self._owned.at


def _attempts(max: float) -> int:
    if max == math.inf:
        return FOREVER
    return int(max) if max == max and max == int(max) else -1


def _set_on(options: Any, on: On | None, budget: RetryBudget | None) -> list[Any]:
    """Which errors, and the budget; what has to live through the call."""
    alive: list[Any] = []
    if budget is not None:
        options.budget = budget.native
    if callable(on):
        options.decide, options.data, options.drop = _DECIDE, data_of(keep(_within(on))), DROP
    elif isinstance(on, str):
        raise StepError("InternalError", f"on: expected a list of codes, got {on!r}: say [{on!r}]")
    elif on is not None:
        texts = [label(code) for code in on]
        alive = [texts, ffi.new("steptree_text[]", texts)]
        options.given |= lib.STEPTREE_GIVEN_CODES
        options.codes, options.count = alive[1], len(texts)
    return alive


def retry(
    body: Part,
    *,
    max: float,
    base: Ms = 100,
    factor: float = 2,
    cap: Ms = 20000,
    jitter: float = 1,
    on: On | None = None,
    budget: RetryBudget | None = None,
) -> Step[Any]:
    """The body runs again when it has failed, `max` times in all; it gets the number of the attempt
    last. Between two it waits `base`, then `factor` times as long, up to `cap`."""
    options = ffi.new("steptree_retry_options*")
    options.size = ffi.sizeof("steptree_retry_options")
    options.max = _attempts(max)
    options.given = _BACKOFF
    options.base, options.factor = ms_of(base), factor
    options.cap, options.jitter = ms_of(cap), jitter
    _alive = _set_on(options, on, budget)
    code, holds = _body(body)
    holds = holds if budget is None else (*holds, budget)
    return made("retry", holds, lib.define_retry, options, code)


def hedge(
    body: Part,
    *,
    after: Ms,
    max: float = 2,
    on: On | None = None,
    budget: RetryBudget | None = None,
) -> Step[Any]:
    """The body runs once more when it is slow: `after` ms from the begin of the last attempt."""
    options = ffi.new("steptree_hedge_options*")
    options.size = ffi.sizeof("steptree_hedge_options")
    options.given = lib.STEPTREE_GIVEN_MAX
    options.max, options.after = _attempts(max), ms_of(after)
    _alive = _set_on(options, on, budget)
    code, holds = _body(body)
    holds = holds if budget is None else (*holds, budget)
    return made("hedge", holds, lib.define_hedge, options, code)


# ---- many items ----


class _Source:
    """Any iterable, from which items are taken when there is room for them. Each run has a context of
    its own, a copy of that of whoever has given it."""

    def __init__(self, of: Iterable[object]):
        self._of = of
        self._context = copy_context()

    def run(self) -> _SourceRun:
        return _SourceRun(self._of, self._context.copy())


class _SourceRun:
    def __init__(self, of: Iterable[object], context: Context):
        self._context = context
        self._items: Any = None
        self._refused: BaseException | None = None
        self._last: Packed | None = None
        try:
            self._items = context.run(iter, of)
        except Exception as error:
            self._refused = error

    def next(self, into: Any) -> bool:
        if self._items is None:
            refused, self._refused = self._refused, None
            if refused is not None:
                raise refused
            return False
        try:
            self._last = Packed((self._context.run(next, self._items),))
        except BaseException as error:
            self._items = None
            if isinstance(error, StopIteration):
                return False
            raise
        into[0] = self._last.at[0]
        return True

    def end(self) -> None:
        close = getattr(self._items, "close", None)
        if close is not None:
            self._context.run(close)


def max_of(limit: int) -> int:
    return limit if limit > 0 else 0


def map(
    source: Any,
    body: Part,
    *,
    limit: int,
    ordered: bool = True,
    sink: Callable[[Any, int], object] | None = None,
) -> Step[Any]:
    """The body runs for each item of a list, an iterable or a channel, with its number, at most
    `limit` at a time. The result is the list of results, unless `sink` gets each with its number."""
    options = ffi.new("steptree_map_options*")
    options.size = ffi.sizeof("steptree_map_options")
    options.limit = max_of(limit)
    options.flags = 0 if ordered else lib.STEPTREE_UNORDERED
    alive: list[Any] = []
    code, holds = _body(body)
    channel = getattr(source, "native_channel", None)
    if channel is not None:
        options.channel = channel()
        holds = (*holds, source)
    elif isinstance(source, list) or not isinstance(source, Iterable):
        packed = Packed((source,))  # pyright: ignore[reportUnknownArgumentType]
        alive.append(packed)
        options.collection = packed.at
    else:
        made_of = ffi.new("steptree_source*")
        made_of.size = ffi.sizeof("steptree_source")
        made_of.begin, made_of.next, made_of.end = _BEGIN, _NEXT, _END
        made_of.data, made_of.drop = data_of(keep(_Source(source))), DROP  # pyright: ignore[reportUnknownArgumentType]
        alive.append(made_of)
        options.source = made_of
    if sink is not None:
        options.sink, options.data, options.drop = _SINK, data_of(keep(_within(sink))), DROP
    return made("map", holds, lib.define_map, options, code)


_label = label
_BACKOFF: int = (
    lib.STEPTREE_GIVEN_BASE
    | lib.STEPTREE_GIVEN_FACTOR
    | lib.STEPTREE_GIVEN_CAP
    | lib.STEPTREE_GIVEN_JITTER
)
_DECIDE, _SINK = pointer("c_decide"), pointer("c_sink")
_BEGIN, _NEXT, _END = pointer("c_begin"), pointer("c_next"), pointer("c_end")
