"""Who lives how long: objects, accessors, tools, the interpreter."""

# Lambdas of tests have no types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import steptree as st
from steptree import IAsyncSteps, StepError
from steptree._abi import drop_late, things
from steptree._error import native


class Thing:
    pass


def settled() -> int:
    """How many objects the runtime has, when all that isn't used has gone."""
    for _ in range(3):
        gc.collect()
        drop_late()
    return len(things)


@pytest.fixture(autouse=True)
def leaves_nothing() -> Any:  # pyright: ignore[reportUnusedFunction]
    # The error that a call has failed with last is the runtime's until the next one.
    _forget_last_error()
    before = settled()
    yield
    _forget_last_error()
    assert settled() <= before


def _forget_last_error() -> None:
    with pytest.raises(StepError):
        st.Mutex(0)
    native(StepError("Last"))


def test_an_object_that_is_carried_is_let_go_with_its_last_value() -> None:
    tool = st.VirtualTool()
    thing = Thing()
    known = weakref.ref(thing)
    value = st.steps(lambda _, given: [given, {"k": given}]).with_(thing)
    del thing
    assert tool.result(value)[0] is known()
    gc.collect()
    assert known() is not None
    del value
    gc.collect()
    assert known() is None


def test_bodies_are_let_go_with_what_they_hold() -> None:
    tool = st.VirtualTool()
    thing = Thing()
    known = weakref.ref(thing)

    def outer(asi: IAsyncSteps, held: Thing = thing) -> None:
        asi.add(lambda _: held and None)
        asi.add(lambda inner: inner.error("Fail"), lambda inner, _: inner.success(1))
        asi.set_cancel(lambda _: held and None)
        asi.defer(lambda _, outcome: held and None)

    tool.result(st.step(outer))
    del outer, thing
    gc.collect()
    assert known() is None


def test_a_flow_that_is_known_to_its_own_steps_is_collected() -> None:
    tool = st.VirtualTool()
    flow = st.AsyncSteps(tool)
    known = weakref.ref(flow)
    flow.add(lambda _: flow.cancel(), lambda _, __: flow.cancel())
    flow.add(st.step(lambda _: flow.running()))
    flow.loop(lambda _: flow.running())
    flow.sync(st.Mutex(), lambda _: flow.running())
    flow.parallel(lambda _, __: flow.cancel()).add(lambda _: flow.running())
    del flow
    gc.collect()
    assert known() is None


@pytest.mark.parametrize("told", [True, False])
def test_a_flow_that_has_run_is_collected(told: bool) -> None:
    tool = st.VirtualTool()
    flow = st.AsyncSteps(tool)
    known = weakref.ref(flow)
    flow.add(lambda _: flow and None).execute((lambda _: flow and None) if told else None)
    tool.run()
    del flow
    gc.collect()
    assert known() is None


def test_a_step_value_that_is_known_to_its_own_body_is_collected() -> None:
    tool = st.VirtualTool()

    def recurse(asi: IAsyncSteps, number: int) -> None:
        if number:
            asi.add(count.with_(number - 1))

    count: Any = st.step(recurse)
    count = st.steps(st.retry(count, max=1), lambda _: None).on_error(lambda _, __: count and None)
    known = weakref.ref(count)
    tool.result(count.with_(3))
    del count, recurse
    gc.collect()
    assert known() is None


def test_a_guard_of_ones_own_that_is_known_to_itself_is_collected() -> None:
    guard = st.CustomGuard(lambda _: guard and None, lambda _, __: guard and None)
    known = weakref.ref(guard)
    assert st.VirtualTool().result(st.sync(guard, lambda _: 1)) == 1
    del guard
    gc.collect()
    assert known() is None


def test_a_step_value_lives_as_long_as_it_runs() -> None:
    tool = st.VirtualTool()
    ends: list[str] = []

    def outer(asi: IAsyncSteps) -> None:
        asi.add(st.steps(st.delay(1), lambda _: ends.append("added")))
        asi.loop(st.steps(st.delay(1), lambda inner: inner.break_loop()))
        asi.parallel().add(st.steps(st.delay(1), lambda _: ends.append("branch")))
        asi.sync(st.Mutex(), st.steps(st.delay(1), lambda _: ends.append("section")))

    def returns(_: IAsyncSteps) -> object:
        return st.steps(st.delay(1), lambda _: ends.append("returned"))

    scope = st.Scope(tool)
    tool.start(st.step(outer))
    tool.start(st.step(returns), done=lambda _: None)
    scope.start(st.steps(st.delay(1), lambda _: ends.append("scope")))
    flow = st.AsyncSteps(tool)
    flow.add(st.steps(st.delay(1), lambda _: ends.append("flow"))).execute()
    del flow
    for _ in range(10):
        gc.collect()
        tool.advance(1)
    assert sorted(ends) == ["added", "branch", "flow", "returned", "scope", "section"]


def test_a_flow_that_runs_lives_until_it_ends() -> None:
    tool = st.VirtualTool()
    ends: list[str] = []
    st.AsyncSteps(tool).add(st.delay(5)).execute(lambda outcome: ends.append(outcome.kind))
    gc.collect()
    tool.run()
    assert ends == ["ok"]


def test_a_guard_lives_as_long_as_steps_that_use_it() -> None:
    tool = st.VirtualTool()
    ends: list[str] = []

    def done(outcome: st.Outcome) -> None:
        ends.append(outcome.kind)

    def body(asi: IAsyncSteps) -> None:
        asi.sync(st.Mutex(), st.delay(1))
        asi.sync(st.RwLock().read, lambda inner: inner.add(st.delay(1)) and None)
        asi.sync(st.Keyed(st.Mutex, lambda _: {}).of("k"), st.delay(1))
        asi.sync(st.CustomGuard(lambda _: None, lambda _, __: None), st.delay(1))
        asi.add(st.retry(st.sync(st.Limiter(1), st.delay(1)), max=2, budget=st.RetryBudget(1, 1)))
        channel = st.Channel[int](1)
        channel.send(asi, 1)
        channel.receive(asi)
        st.Gate().wait(asi)

    tool.start(st.steps(st.sync(st.Mutex(), body)), done=done)
    while not ends:
        gc.collect()
        tool.advance(1)
    assert ends == ["ok"]


def test_gc_in_the_middle_of_a_callback_drops_nothing_that_runs() -> None:
    tool = st.VirtualTool()

    def body(asi: IAsyncSteps, number: int) -> None:
        flow = st.AsyncSteps(tool).add(lambda _: None)
        flow.itself = flow if hasattr(flow, "__dict__") else None  # pyright: ignore[reportAttributeAccessIssue]
        guard: Any = st.Mutex()
        guard.itself = guard
        asi.sync(guard, lambda _: gc.collect() and None)
        asi.add(st.sync(st.Mutex(), st.step(lambda _: gc.collect() and None)))
        del guard, flow
        gc.collect()

    tool.result(st.repeat(20, body))


def test_an_accessor_that_is_used_too_late_says_so() -> None:
    tool = st.VirtualTool()
    kept: list[IAsyncSteps] = []
    tool.result(st.steps(kept.append, lambda _: None))
    asi = kept[0]
    assert not asi.valid()
    calls: list[Callable[[], object]] = [
        lambda: asi.add(print),
        lambda: asi.success(),
        lambda: asi.error("E"),
        lambda: asi.break_loop(),
        asi.wait_external,
        asi.parallel,
        asi.remaining,
        lambda: asi.state["x"],
        lambda: asi.signal,
        lambda: asi.set_timeout(1),
        asi.new_instance,
    ]
    for call in calls:
        with pytest.raises(StepError, match="used after its step has closed"):
            call()
    assert asi.last_error is None
    kept.clear()


def test_an_accessor_that_is_kept_works_while_its_step_waits() -> None:
    tool = st.VirtualTool()
    kept: list[IAsyncSteps] = []

    def wait(asi: IAsyncSteps) -> None:
        kept.append(asi)
        asi.wait_external().valid()
        asi.state["c"] = 1

    def wait_long(asi: IAsyncSteps) -> None:
        kept.append(asi)
        kept_completions.append(asi.wait_external())

    kept_completions: list[st.Completion] = []
    ends: list[Any] = []
    tool.start(st.step(wait_long), done=lambda outcome: ends.append(outcome.value))
    tool.advance(1)
    assert kept[0].valid()
    kept[0].success("from outside")
    tool.run()
    assert ends == ["from outside"]
    assert not kept[0].valid()
    kept.clear()
    kept_completions.clear()
    del wait


def test_branches_that_are_added_late_are_refused() -> None:
    tool = st.VirtualTool()
    kept: list[st.Branches] = []

    def body(asi: IAsyncSteps) -> None:
        kept.append(asi.parallel().add(st.delay(1)))

    def late(_: IAsyncSteps) -> None:
        kept[0].add(print)

    with pytest.raises(StepError, match="after the body has returned"):
        tool.result(st.steps(body, late))

    async def go_on(asi: IAsyncSteps) -> None:
        await asyncio.sleep(0)
        asi.parallel()

    with pytest.raises(StepError, match="after the body has returned"):
        asyncio.run(st.run(st.step(go_on)))
    flow = st.AsyncSteps(tool)
    branches = flow.parallel().add(st.delay(1))
    flow.execute(lambda _: None)
    with pytest.raises(StepError, match="the flow has begun"):
        branches.add(print)
    tool.run()
    kept.clear()


def test_a_completion_outlives_its_tool() -> None:
    tool = st.VirtualTool()
    kept: list[st.Completion] = []

    def wait(asi: IAsyncSteps) -> None:
        kept.append(asi.wait_external())

    tool.start(st.step(wait))
    tool.advance(1)
    assert kept[0].valid()
    tool.close()
    assert not kept[0].success(Thing())
    assert not kept[0].valid()


def test_a_tool_that_is_closed_says_so() -> None:
    tool = st.VirtualTool()
    flow = st.AsyncSteps(tool).add(st.delay(1))
    flow.execute()
    tool.close()
    assert not flow.running()
    calls: list[Callable[[], object]] = [
        tool.run,
        tool.now,
        flow.cancel,
        flow.execute,
        lambda: st.AsyncSteps(tool),
        lambda: tool.immediate(print),
        lambda: tool.start(st.delay(1)),
    ]
    for call in calls:
        with pytest.raises(StepError, match="the tool is closed"):
            call()


def test_a_tool_is_not_closed_or_run_inside_of_a_callback() -> None:
    tool = st.VirtualTool()
    for call in (tool.close, tool.run):
        with pytest.raises(StepError, match="InternalError"):
            tool.result(st.step(lambda _, call=call: call()))


def test_an_exception_in_a_callback_leaves_the_run() -> None:
    tool = st.VirtualTool()
    tool.immediate(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tool.run()
    tool.start(st.step(lambda _: None), done=lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tool.run()
    tool.start(st.step(lambda _: 1 / 0), unhandled=lambda _: [][1])
    with pytest.raises(IndexError):
        tool.run()
    tool.start(st.step(lambda _: 1 / 0))
    with pytest.raises(StepError):
        tool.run()


def test_a_callback_that_is_taken_back_is_let_go() -> None:
    tool = st.VirtualTool()
    thing = Thing()
    known = weakref.ref(thing)
    handle = tool.deferred(5, lambda held=thing: held and None)
    assert handle.valid()
    handle.cancel()
    del thing
    assert not handle.valid()
    tool.run()
    gc.collect()
    assert known() is None


def test_a_coroutine_that_never_began_is_closed() -> None:
    async def work() -> None:
        raise AssertionError

    tool = st.VirtualTool()
    flow = st.AsyncSteps(tool).await_(work())
    flow.cancel()
    tool.run()


def test_objects_are_dropped_by_another_thread() -> None:
    async def main() -> None:
        thing = Thing()
        known = weakref.ref(thing)

        def wait(asi: IAsyncSteps) -> None:
            done = asi.wait_external()
            threading.Thread(target=lambda: [done.success(thing) for _ in range(100)]).start()

        assert await st.run(st.step(wait)) is thing
        await asyncio.sleep(0.01)
        del thing, wait
        gc.collect()
        assert known() is None

    asyncio.run(main())


def test_tools_of_a_thread_that_has_ended_are_left_alone() -> None:
    def other() -> None:
        asyncio.run(main())

    async def main() -> None:
        st.default_tool().start(st.delay(10_000))
        await asyncio.sleep(0.001)
        st.default_tool().close()

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()


ENDS = """
import asyncio, threading, time
import steptree as st
class Loud:
    def __del__(self): print("dropped", flush=True)
kept = []
async def main():
    def wait(asi):
        kept.append(asi.wait_external())
        kept.append(asi)
        asi.set_cancel(lambda asi: print("cancelled"))
        asi.defer(lambda asi, outcome: print("deferred"))
    st.default_tool().start(st.steps(wait, lambda asi, x: None).with_(Loud()))
    st.AsyncSteps().add(wait).execute()
    kept.append(st.default_tool())
    await asyncio.sleep(0.01)
    def late():
        while True:
            kept[0].success(1)
            kept[0].valid()
            kept[2].owned.at
    threading.Thread(target=late, daemon=True).start()
asyncio.run(main())
tool = st.VirtualTool()
tool.start(st.delay(5))
mutex = st.Mutex()
cycle = [tool, mutex]
cycle.append(cycle)
print("ends")
"""


def test_the_interpreter_ends_with_flows_that_run_and_threads_that_call() -> None:
    for _ in range(3):
        ended = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-c", ENDS],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert ended.returncode == 0, ended.stderr
        assert "ends" in ended.stdout
