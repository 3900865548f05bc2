"""Flows."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Unpack

from ._abi import FLOW, NULL, callback, ffi, label, lend, lib, owned
from ._adder import Adder, Branches, parallel_of
from ._closure import Code, Handler
from ._context import Within, flows
from ._error import check
from ._outcome import Outcome
from ._run import Hooks, Options, done_of, only, options_of, signal_of
from ._signal import Signal
from ._state import State
from ._tool import Tool, default_tool
from ._values import taken

if TYPE_CHECKING:
    from ._accessor import IAsyncSteps


class AsyncSteps(Adder):
    """A flow: steps are added while it's idle, then it is executed, any number of times.

        flow = AsyncSteps()
        flow.add(load).add(store)
        await flow

    `await` gives the first value of the last step, and raises the StepError of a failure. A task
    that is cancelled while it awaits a flow cancels that, and goes on when it has closed.
    """

    _hooks: Hooks | None = None

    def __init__(self, tool: Tool | None = None, **options: Unpack[Options]):
        only(options, Options)
        self._make(tool or default_tool(), options, None)

    def _make(self, tool: Tool, options: Options, at: Any) -> None:
        self.tool = tool
        if at is None:
            into = ffi.new("steptree_flow**")
            of = tool.native
            made, self._hooks = options_of(options, tool.unhandled)
            check(lib.flow_make(of, made, into))
            at = into[0]
        self._owned = owned(self, at, lib.flow_drop, FLOW, tool.owned)
        state = ffi.new("steptree_state**")
        check(lib.flow_state(at, state))
        self._number_of_flow: int = lib.flow_of_state(state[0])
        weakref.finalize(self, flows.pop, self._number_of_flow, None).atexit = False
        self._holds: list[object] = []
        self.epoch = 0

    def native_flow(self) -> Any:
        self.tool.check_open()
        return self._owned.at

    def _to(self) -> Any:
        return lib.of_flow(self.native_flow())

    def _hold(self, *things: object) -> None:
        self._holds.extend(things)

    def _number(self, code: Code) -> int:
        self._holds.append(code)
        return lend(code)

    def still(self, epoch: int) -> None:
        if epoch != self.epoch:
            check(lib.error_make(label("InternalError"), label("the flow has begun"), NULL))

    # ---- running ----

    def execute(
        self, done: Callable[[Outcome], object] | None = None, signal: Signal | None = None
    ) -> None:
        """Starts it: its first body runs from the tool. `done` is called once, when it's idle again;
        without, an error goes to `unhandled`. The signal ends it."""
        at = self.native_flow()
        within = self._within()
        if done is None:
            check(lib.flow_execute(at, NULL, signal_of(signal)))
            check(lib.flow_closed(at, callback(self._letting_go())))
        else:
            check(lib.flow_execute(at, done_of(self._ended(done), self, within), signal_of(signal)))
        self._begun(within)

    def _within(self) -> Within:
        """The context of whoever starts it."""
        return Within(self.tool.unhandled if self._hooks is None else self._hooks.report)

    def awaited_by_step(self) -> None:
        """A step is to execute it."""
        if not self.running():
            self._runs_within(self._within())

    def _runs_within(self, within: Within) -> None:
        flows[self._number_of_flow] = within
        if self._hooks is not None:
            self._hooks.within = within

    def _begun(self, within: Within) -> None:
        self._runs_within(within)
        self.epoch += 1
        self._holds = []  # of what is added next
        self.tool.runs.add(self)

    def _letting_go(self) -> Callable[[], None]:
        """For the end of the run that begins: nothing of what was added is left then."""
        holds = self._holds

        def let_go() -> None:
            holds.clear()
            if not self.running():
                self.tool.runs.discard(self)
                flows.pop(self._number_of_flow, None)
                if self._hooks is not None:
                    self._hooks.within = None

        return let_go

    def _ended(self, done: Callable[[Outcome], object]) -> Callable[[Outcome], object]:
        let_go = self._letting_go()

        def ended(outcome: Outcome) -> None:
            try:
                let_go()
            finally:
                done(outcome)

        return ended

    def __await__(self) -> Generator[Any, None, Any]:
        return self.result().__await__()

    async def result(self, signal: Signal | None = None) -> Any:
        """As awaiting it; the signal ends it."""
        future = asyncio.get_running_loop().create_future()

        def done(outcome: Outcome) -> None:
            if not future.done():
                future.set_result(outcome)

        self.execute(done, signal)
        try:
            outcome: Outcome = await future
        except asyncio.CancelledError:
            self.cancel("the task that awaited it was cancelled")
            self.tool.again()
            await self.closed()
            raise
        return outcome.result()

    def cancel(self, reason: str = "") -> None:
        """Ends it without error handlers; its cancel handlers have run when this returns. Idle:
        empties the queue."""
        at, was_idle = self.native_flow(), not self.running()
        check(lib.flow_cancel(at, label(reason)))
        self.epoch += 1
        if was_idle:
            self._holds.clear()

    def running(self) -> bool:
        return not self._owned.dropped and bool(lib.flow_running(self._owned.at))

    def on_closed(self, call: Callable[[], object]) -> None:
        """Calls back when nothing of it is open any more."""
        check(lib.flow_closed(self.native_flow(), callback(call)))

    async def closed(self) -> None:
        """Returns when nothing of it is open any more."""
        future = asyncio.get_running_loop().create_future()
        self.on_closed(lambda: None if future.done() else future.set_result(None))
        await future

    # ---- the rest ----

    def parallel(self, onerror: Handler | None = None, name: str = "") -> Branches:
        """As that of a step."""
        return parallel_of(lib.flow_parallel, self.native_flow(), self, onerror, name)

    @property
    def state(self) -> State:
        """What all its steps share."""
        return State(self._state)

    def _state(self) -> Any:
        into = ffi.new("steptree_state**")
        check(lib.flow_state(self.native_flow(), into))
        return into[0]

    def snapshot(self) -> dict[str, Any]:
        """What it is doing, as spec/snapshot.schema.json has it."""
        into = ffi.new("steptree_value*")
        check(lib.flow_snapshot(self.native_flow(), into))
        return taken(into)

    def snapshot_text(self, max: int = 0) -> str:
        """The same as a tree of lines, `max` of them at most; 0: any number."""
        into = ffi.new("steptree_value*")
        check(lib.flow_snapshot_text(self.native_flow(), max, into))
        return taken(into)


def instance_of(asi: IAsyncSteps, tool: Tool) -> AsyncSteps:
    into = ffi.new("steptree_flow**")
    check(lib.step_new_instance(asi.native, into))
    made = AsyncSteps.__new__(AsyncSteps)
    made._make(tool, {}, into[0])  # pyright: ignore[reportPrivateUsage]
    return made
