"""Flows as guests of asyncio's loop."""

# Lambdas of tests have no types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import steptree as st
from steptree import IAsyncSteps, StepError


def asynchronous(test: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    def run() -> None:
        async def limited() -> None:
            await asyncio.wait_for(test(), 20)

        asyncio.run(limited())

    run.__name__ = test.__name__
    return run


def forever(asi: IAsyncSteps) -> None:
    asi.state["done"] = asi.wait_external()


@asynchronous
async def test_a_step_value_is_run_and_awaited() -> None:
    assert await st.run(st.steps(st.delay(5), lambda _: "late")) == "late"


@asynchronous
async def test_a_flow_is_awaited_again_and_again() -> None:
    flow = st.AsyncSteps()
    for number in range(3):
        flow.add(lambda _, number=number: number)
        assert await flow == number


@asynchronous
async def test_an_error_is_raised_where_it_is_awaited() -> None:
    def body(asi: IAsyncSteps) -> None:
        asi.error("Mine")

    with pytest.raises(StepError) as failed:
        await st.run(st.step(body))
    assert failed.value.code == "Mine"


@asynchronous
async def test_a_flow_that_is_cancelled_elsewhere_raises_canceled() -> None:
    flow = st.AsyncSteps().add(forever)
    asyncio.get_running_loop().call_later(0.01, lambda: flow.cancel("enough"))
    with pytest.raises(StepError) as failed:
        await flow
    assert (failed.value.code, failed.value.info) == ("Canceled", "enough")


@asynchronous
async def test_cancelling_the_task_cancels_the_flow_and_waits_for_its_cleanup() -> None:
    seen: list[str] = []

    def work(asi: IAsyncSteps) -> None:
        async def clean(_: IAsyncSteps, outcome: st.Outcome) -> None:
            await asyncio.sleep(0.01)
            seen.append(f"cleaned up {outcome.kind}")

        asi.defer(clean)
        asi.add(forever)

    flow = st.AsyncSteps().add(work)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await flow
    assert seen == ["cleaned up cancelled"]
    assert not flow.running()


@asynchronous
async def test_a_coroutine_function_is_a_body() -> None:
    async def double(_: IAsyncSteps, number: int) -> int:
        await asyncio.sleep(0.001)
        return number * 2

    async def nothing(_: IAsyncSteps) -> None:
        pass

    assert await st.run(st.steps(st.step(double).with_(21), double)) == 84
    assert await st.run(st.step(nothing)) is None


@asynchronous
async def test_the_task_of_a_coroutine_is_cancelled_with_its_step() -> None:
    seen: list[str] = []

    async def work(_: IAsyncSteps) -> None:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
            seen.append("stopped")
            raise

    late = st.step(work).timeout(5).on_error(lambda asi, code: asi.success(code))
    assert await st.run(late) == "Timeout"
    assert seen == ["stopped"]  # it's waited for before the handler


@asynchronous
async def test_an_exception_of_a_coroutine_is_the_cause() -> None:
    thrown = ValueError("boom")

    async def work(_: IAsyncSteps) -> None:
        await asyncio.sleep(0)
        raise thrown

    with pytest.raises(StepError) as failed:
        await st.run(st.step(work))
    assert failed.value.__cause__ is thrown


@asynchronous
async def test_a_coroutine_fails_its_step_by_asi_error() -> None:
    seen: list[str] = []

    async def work(asi: IAsyncSteps) -> None:
        await asyncio.sleep(0)
        asi.error("Mine")
        seen.append("went on")

    with pytest.raises(StepError, match="Mine"):
        await st.run(st.step(work))
    assert seen == []


@asynchronous
async def test_a_coroutine_breaks_its_loop() -> None:
    seen: list[int] = []

    async def work(asi: IAsyncSteps, number: int) -> None:
        await asyncio.sleep(0)
        if number == 2:
            asi.break_loop()
        seen.append(number)

    await st.run(st.repeat(5, work))
    assert seen == [0, 1]


@asynchronous
async def test_a_task_that_somebody_else_cancels_fails_the_step() -> None:
    async def work() -> None:
        await asyncio.sleep(10)

    task = asyncio.ensure_future(work())
    asyncio.get_running_loop().call_later(0.005, task.cancel)
    with pytest.raises(StepError, match="Canceled: the task was cancelled"):
        await st.run(st.step(lambda asi: asi.await_(task) and None))


@asynchronous
async def test_a_flow_is_a_step_of_another() -> None:
    inner = st.AsyncSteps().add(lambda _: "inner")
    outer = st.AsyncSteps().await_(inner).add(lambda _, given: f"{given} is awaited")
    assert await outer == "inner is awaited"


@asynchronous
async def test_a_completion_is_used_on_another_thread() -> None:
    def body(asi: IAsyncSteps) -> None:
        done = asi.wait_external()
        threading.Thread(target=lambda: (time.sleep(0.01), done.success("far"))).start()

    assert await st.run(st.step(body)) == "far"


@asynchronous
async def test_what_is_scheduled_while_the_loop_sleeps_wakes_it() -> None:
    called = asyncio.Event()
    tool = st.default_tool()
    loop = asyncio.get_running_loop()
    await asyncio.sleep(0.01)
    threading.Thread(
        target=lambda: tool.immediate(lambda: loop.call_soon(called.set) and None)
    ).start()
    await asyncio.wait_for(called.wait(), 5)


@asynchronous
async def test_timers_do_not_keep_the_loop_busy() -> None:
    tool = st.default_tool()
    turns = 0
    turn = tool.turn

    def counted() -> None:
        nonlocal turns
        turns += 1
        turn()

    tool.turn = counted  # pyright: ignore[reportAttributeAccessIssue]
    await st.run(st.delay(100))
    assert turns < 20


@asynchronous
async def test_a_guard_is_locked_in_plain_asyncio_code() -> None:
    mutex = st.Mutex(name="db")
    inside = most = 0

    async def work() -> None:
        nonlocal inside, most
        async with mutex:
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.001)
            inside -= 1

    await asyncio.gather(*[work() for _ in range(5)])
    assert most == 1
    assert (mutex.active, mutex.waiting) == (0, 0)


@asynchronous
async def test_a_task_that_waits_for_a_guard_is_cancelled() -> None:
    mutex = st.Mutex()
    async with mutex:

        async def wait() -> None:
            async with mutex:
                raise AssertionError

        task = asyncio.create_task(wait())
        await asyncio.sleep(0.01)
        assert mutex.waiting == 1
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        assert mutex.waiting == 0
    assert mutex.active == 0


@asynchronous
async def test_a_guard_that_refuses_raises() -> None:
    limiter = st.Limiter(1, max_queue=0, name="few")
    async with limiter:
        with pytest.raises(StepError, match="DefenseRejected"):
            async with limiter:
                raise AssertionError
    with pytest.raises(ValueError, match="mine"):
        async with limiter:
            raise ValueError("mine")
    assert limiter.active == 0


@asynchronous
async def test_a_scope_closes_its_flows() -> None:
    async with st.Scope() as scope:
        scope.start(st.delay(10_000))
        assert await scope.run(st.step(lambda _: "one")) == "one"
        assert await scope.drain(1) == 1
    with pytest.raises(StepError, match="Closed"):
        await scope.run(st.step(lambda _: "late"))


@asynchronous
async def test_what_nobody_handles_goes_to_the_loop() -> None:
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))

    def fail(_: IAsyncSteps) -> None:
        raise ValueError("unhandled")

    def callback() -> None:
        raise ValueError("in a callback")

    tool = st.default_tool()
    tool.start(st.step(fail))
    tool.immediate(callback)
    st.AsyncSteps().add(lambda _: 1).execute(lambda _: 1 / 0)
    await asyncio.sleep(0.02)
    errors = [context["exception"] for context in told]
    assert {type(error) for error in errors} == {StepError, ValueError, ZeroDivisionError}


def test_a_keyboard_interrupt_in_a_body_leaves_the_loop() -> None:
    def interrupt(_: IAsyncSteps) -> None:
        raise KeyboardInterrupt

    async def main() -> None:
        await st.run(st.step(interrupt))

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(main())


def test_a_loop_that_is_closed_with_flows_running_leaves_nothing_that_crashes() -> None:
    flows: list[st.AsyncSteps] = []
    completions: list[st.Completion] = []

    async def main() -> None:
        def wait(asi: IAsyncSteps) -> None:
            completions.append(asi.wait_external())

        flows.append(st.AsyncSteps().add(wait))
        flows[0].execute(lambda _: None)
        st.default_tool().start(st.delay(10_000))
        await asyncio.sleep(0.01)

    asyncio.run(main())
    assert completions[0].success(1)  # nothing runs there any more, and nothing breaks
    for call in (flows[0].cancel, flows[0].snapshot, flows[0].execute, flows[0].tool.snapshot):
        with pytest.raises(StepError, match="the asyncio loop of this tool is closed"):
            call()
    flows.clear()
    gc.collect()
    asyncio.run(asyncio.sleep(0))


def test_each_loop_has_a_tool_of_its_own() -> None:
    async def main() -> st.AsyncioTool:
        assert st.default_tool() is st.default_tool()
        await st.run(st.delay(1))
        return st.default_tool()

    assert asyncio.run(main()) is not asyncio.run(main())


def test_without_a_loop_there_is_no_tool() -> None:
    with pytest.raises(StepError, match="no asyncio loop runs here"):
        st.AsyncSteps()


def test_a_coroutine_needs_a_loop() -> None:
    async def work(_: IAsyncSteps) -> None:
        raise AssertionError

    with pytest.raises(StepError, match="needs a loop of asyncio"):
        st.VirtualTool().result(st.step(work))


@asynchronous
async def test_another_thread_is_told_that_it_may_not() -> None:
    flow = st.AsyncSteps()
    told: list[str] = []

    def other() -> None:
        calls: list[Callable[[], object]] = [
            lambda: flow.add(forever),
            flow.execute,
            flow.cancel,
            flow.snapshot,
            lambda: st.AsyncSteps(flow.tool),
            flow.tool.snapshot,
            flow.tool.close,
        ]
        for call in calls:
            try:
                call()
            except StepError as error:
                told.append(error.info)

    await asyncio.to_thread(other)
    assert told == ["flows and tools are used on the thread of their event loop only"] * 7


@asynchronous
async def test_an_accessor_is_refused_on_another_thread() -> None:
    told: list[str] = []

    async def work(asi: IAsyncSteps) -> None:
        def other() -> None:
            for call in (lambda: asi.add(forever), lambda: asi.success(1), asi.wait_external):
                try:
                    call()
                except StepError as error:
                    told.append(error.code)

        await asyncio.to_thread(other)

    await st.run(st.step(work))
    assert told == ["InternalError"] * 3
