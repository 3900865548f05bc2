"""Event loops: that of asyncio, and one whose time is virtual."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import Context, copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from ._abi import FOREVER, TOOL, Owned, callback, drop_late, ffi, lib, owned, running, tell_raised
from ._error import StepError, check, forget
from ._outcome import Outcome
from ._run import RunOptions, StartOptions, only, start
from ._signal import Handle
from ._values import Ms, ms_of, taken
from ._virtualloop import VirtualLoop

if TYPE_CHECKING:
    from ._definition import Step

T = TypeVar("T")


class Tool:
    """An event loop, of the thread that has made it. What isn't marked otherwise is refused on
    another one."""

    def __init__(self, at: Any):
        self.owned: Owned = owned(self, at, lib.tool_drop, TOOL, None)
        self.runs: set[object] = set()
        """Flows that run: they live until they end."""
        drop_late()

    @property
    def native(self) -> Any:
        self.check_open()
        return self.owned.at

    def check_open(self) -> None:
        if self.owned.dropped:
            raise StepError("InternalError", "the tool is closed")
        self.check_thread()

    def check_thread(self) -> None:
        if not self.owned.here:
            raise StepError(
                "InternalError", "flows and tools are used on the thread of their event loop only"
            )

    def close(self) -> None:
        """Drops what is pending, unrun, and all flows. Outside of its callbacks only."""
        if running.depth:
            raise StepError("InternalError", "a tool can't be closed inside of a callback")
        self.check_open()
        self.runs.clear()
        self.owned.drop()
        tell_raised()
        drop_late()

    def _drive(self, call: Callable[..., Any], *args: Any) -> None:
        """Runs a part of it; raises what nobody handles."""
        at = self.native
        before, running.tool = running.tool, self
        running.depth += 1
        try:
            error = call(at, *args)
        finally:
            running.depth -= 1
            running.tool = before
        raised, running.raised = running.raised, []
        drop_late()
        try:
            while raised:
                self.escaped(raised.pop(0))
            check(error)
        finally:
            if not running.depth:
                forget()

    def escaped(self, error: BaseException) -> None:
        """What a callback has raised, and nobody handles."""
        raise error

    def again(self) -> None:
        """One pass more, if its loop has others."""

    def unhandled(self, error: StepError) -> None:
        """The hook of flows without one."""
        running.raised.append(error)

    # ---- callbacks ----

    def immediate(self, call: Callable[[], object]) -> Handle:
        """Calls back in the next pass. Any thread."""
        into = ffi.new("steptree_handle**")
        check(lib.tool_immediate(self._anywhere(), callback(_within(call)), into))
        return Handle(into[0])

    def deferred(self, ms: Ms, call: Callable[[], object]) -> Handle:
        """Calls back after so long. Any thread."""
        into = ffi.new("steptree_handle**")
        check(lib.tool_deferred(self._anywhere(), ms_of(ms), callback(_within(call)), into))
        return Handle(into[0])

    def _anywhere(self) -> Any:
        if self.owned.dropped:
            raise StepError("InternalError", "the tool is closed")
        return self.owned.at

    # ---- flows that are the tool's ----

    def start(self, value: Step[Any], **options: Unpack[StartOptions]) -> None:
        """Runs a step value in a flow that is the tool's. Any thread."""
        check(start(lib.tool_start, self._anywhere(), value, options, self.unhandled))

    # ---- what it knows ----

    def now(self) -> int:
        """Milliseconds since it was made."""
        return lib.tool_now(self.native)

    def random(self) -> float:
        """The next number: 0 or more and below 1."""
        into = ffi.new("double*")
        check(lib.tool_random(self.native, into))
        return into[0]

    def armed_timers(self) -> int:
        """How many timers have yet to fire."""
        into = ffi.new("size_t*")
        check(lib.tool_armed_timers(self.native, into))
        return into[0]

    def snapshot(self) -> dict[str, Any]:
        """What all its flows are doing, as spec/snapshot.schema.json has it."""
        into = ffi.new("steptree_value*")
        check(lib.tool_snapshot(self.native, into))
        return taken(into)

    def snapshot_text(self, max: int = 0) -> str:
        """The same as text, `max` lines at most; 0: any number."""
        into = ffi.new("steptree_value*")
        check(lib.tool_snapshot_text(self.native, max, into))
        return taken(into)


class VirtualTool(Tool):
    """An event loop for tests: its clock jumps to the next thing that is due. For coroutines it is a
    loop of asyncio, with that clock, and nothing of the outside.

    tool = VirtualTool()
    assert tool.result(steps(delay(60_000), lambda asi: "late")) == "late"
    """

    def __init__(self, seed: int = 0, order: int | Sequence[int] = 0):
        given = ffi.new("steptree_virtual_options*")
        given.size, given.seed = ffi.sizeof("steptree_virtual_options"), seed
        choices: Any = None
        if isinstance(order, int):
            given.order = order
        else:
            choices = ffi.new("uint32_t[]", list(order))
            given.given = lib.STEPTREE_GIVEN_CHOICES
            given.choices, given.count = choices, len(order)
        into = ffi.new("steptree_tool**")
        check(lib.tool_make_virtual(given, into))
        super().__init__(into[0])
        self._loop = VirtualLoop(self)

    def _drive(self, call: Callable[..., Any], *args: Any) -> None:
        with _running(self._loop):
            super()._drive(call, *args)

    def run(self) -> None:
        """Runs until nothing is pending."""
        self._drive(lib.tool_run)

    def advance(self, ms: Ms) -> None:
        """The same, no further than so long from now."""
        self._drive(lib.tool_advance, ms_of(ms))

    def elapse(self, ms: Ms) -> None:
        """The clock moves on, as if the callback that runs had worked so long."""
        check(lib.tool_elapse(self.native, ms_of(ms)))

    def result(self, value: Step[T]) -> T:
        """Runs a step value until nothing is pending: its result, or raises its error."""
        ended: list[Outcome] = []
        self.start(value, done=ended.append)
        self.run()
        if not ended:
            raise StepError("InternalError", "the flow waits for something that never comes")
        return ended[0].result()

    def alternatives(self) -> list[int]:
        """With a list as `order`: how many things there were to choose from at each."""
        count = ffi.new("size_t*")
        found = lib.tool_alternatives(self.native, count)
        return [found[i] for i in range(count[0])]


def _no_swap(loop: asyncio.AbstractEventLoop, task: Any) -> None:
    """Of Python 3.11: each loop has a task of its own that runs."""


_swap_task: Callable[..., Any] = getattr(asyncio.tasks, "_swap_current_task", _no_swap)


@contextmanager
def _running(loop: asyncio.AbstractEventLoop) -> Generator[None]:
    """That loop is the one that runs, also inside of another one's task."""
    outer = asyncio._get_running_loop()  # pyright: ignore[reportPrivateUsage]
    task: Any = _swap_task(outer, None) if outer is not None else None
    asyncio._set_running_loop(loop)  # pyright: ignore[reportPrivateUsage]
    try:
        yield
    finally:
        asyncio._set_running_loop(outer)  # pyright: ignore[reportPrivateUsage]
        if outer is not None:
            _swap_task(outer, task)


def _within(call: Callable[[], object]) -> Callable[[], object]:
    return partial(copy_context().run, call)


class _Wake:
    """Lets the loop call the tool, from any thread; doesn't keep either."""

    __slots__ = ("tool", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop):
        self.tool: weakref.ref[AsyncioTool] | None = None
        self._loop = weakref.ref(loop)

    def __call__(self) -> None:
        tool = None if self.tool is None else self.tool()
        loop = self._loop()
        if tool is None or loop is None or loop.is_closed():
            return
        try:
            if tool.owned.here:
                loop.call_soon(tool.turn, context=tool.context)
            else:
                loop.call_soon_threadsafe(tool.turn, context=tool.context)
        except RuntimeError:
            pass  # it has been closed meanwhile: nothing runs there any more


class AsyncioTool(Tool):
    """An event loop that is a guest of asyncio's: its passes are callbacks of that, its next timer
    is one of that. Bodies may be coroutine functions."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None):
        loop = loop or asyncio.get_running_loop()
        wake = _Wake(loop)
        into = ffi.new("steptree_tool**")
        check(lib.tool_make_driven(callback(wake), into))
        self._loop = weakref.ref(loop)
        self._timer: asyncio.TimerHandle | None = None
        self._ms: Any = ffi.new("int64_t*")
        self.context = Context()
        """Of its passes: nobody's, so that what runs in it sees nothing of whoever has woken it."""
        super().__init__(into[0])
        wake.tool = weakref.ref(self)
        self.again()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        loop = self._loop()
        if loop is None or loop.is_closed():
            raise StepError("InternalError", "the asyncio loop of this tool is closed")
        return loop

    def check_open(self) -> None:
        super().check_open()
        assert self.loop

    def _anywhere(self) -> Any:
        assert self.loop
        return super()._anywhere()

    def turn(self) -> None:
        """One pass; asyncio calls it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self.owned.dropped:
            return
        try:
            self._drive(lib.tool_iterate, self._ms)
        finally:
            self._arm(self._ms[0])

    def again(self) -> None:
        self.loop.call_soon(self.turn, context=self.context)

    def _arm(self, ms: int) -> None:
        loop = self._loop()
        if loop is None or loop.is_closed() or self.owned.dropped:
            return
        if ms == 0:
            loop.call_soon(self.turn, context=self.context)
        elif 0 < ms < FOREVER:
            self._timer = loop.call_at(
                loop.time() + ms / 1000, self.turn, context=self.context
            )

    def escaped(self, error: BaseException) -> None:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise error
        self.loop.call_exception_handler(
            {"message": "an error that no step and no hook handles", "exception": error}
        )


_tools: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncioTool] = (
    weakref.WeakKeyDictionary()
)
_making = threading.Lock()


def default_tool() -> Tool:
    """The tool of the asyncio loop that runs."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise StepError(
            "InternalError", "no asyncio loop runs here: give a tool, such as VirtualTool()"
        ) from None
    if isinstance(loop, VirtualLoop):
        return loop.tool
    with _making:
        found = _tools.get(loop)
        if found is None or found.owned.dropped:
            found = _tools[loop] = AsyncioTool(loop)
    return found


async def run(
    value: Step[T], *, tool: Tool | None = None, **options: Unpack[RunOptions]
) -> T:
    """Runs a step value in a flow of its own: its result, or raises its error. Cancelling the task
    cancels the flow, and waits until that has closed; `signal` ends it.

    name = await run(greet.with_("Ann"))
    """
    from ._flow import AsyncSteps

    only(options, RunOptions)
    signal = options.pop("signal", None)
    flow = AsyncSteps(tool, **options)  # pyright: ignore[reportCallIssue]
    return await flow.add(value).result(signal)


