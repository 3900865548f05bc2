"""Coroutines in virtual time."""

# Lambdas of tests have no types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import contextvars
import gc
import weakref
from typing import Any

import pytest
import steptree as st
from steptree import IAsyncSteps, StepError


def test_a_coroutine_sleeps_as_long_as_the_clock_says() -> None:
    async def minute(_: IAsyncSteps, name: str) -> str:
        await asyncio.sleep(60)
        return f"{name} at {asyncio.get_running_loop().time():g}"

    tool = st.VirtualTool()
    both = st.all(st.step(minute).with_("a"), st.steps(st.delay(1500), lambda _: "b", minute))
    assert tool.result(both) == ["a at 60", "b at 61.5"]
    assert (tool.now(), tool.armed_timers()) == (61_500, 0)


def test_a_time_is_as_long_as_its_sum() -> None:
    async def parts(_: IAsyncSteps) -> None:
        for _number in range(1000):
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.0005)

    tool = st.VirtualTool()
    tool.result(st.step(parts))
    assert tool.now() == 1001


def test_a_deadline_and_a_cancel_stop_a_coroutine() -> None:
    told: list[float] = []

    async def work(_: IAsyncSteps) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            told.append(asyncio.get_running_loop().time())
            await asyncio.sleep(0.01)
            told.append(asyncio.get_running_loop().time())

    tool = st.VirtualTool()
    with pytest.raises(StepError, match="Timeout"):
        tool.result(st.step(work).timeout(100))
    assert told == [0.1, 0.11]
    flow = st.AsyncSteps(tool)
    flow.add(work)
    flow.execute()
    tool.advance(5)
    flow.cancel()
    tool.run()
    assert (told[2:], tool.armed_timers()) == ([0.115, 0.125], 0)


def test_what_asyncio_has_works_in_a_body() -> None:
    async def work(_: IAsyncSteps) -> object:
        queue: asyncio.Queue[int] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        loop.call_later(1, queue.put_nowait, 1)
        loop.call_later(2, queue.put_nowait, 2).cancel()
        async with asyncio.TaskGroup() as group:
            task = group.create_task(asyncio.sleep(3, "task"))
        told: list[object] = [task.result()]
        told += await asyncio.gather(queue.get(), asyncio.wait_for(asyncio.sleep(1, "waited"), 2))
        try:
            async with asyncio.timeout(5):
                await queue.get()
        except TimeoutError:
            told.append("late")
        return [*told, loop.time(), st.default_tool() is tool]

    tool = st.VirtualTool()
    assert tool.result(st.step(work)) == ["task", 1, "waited", "late", 9, True]
    assert tool.armed_timers() == 0


def test_a_body_runs_steps_and_awaits_flows_and_guards() -> None:
    mutex = st.Mutex()

    async def work(_: IAsyncSteps, name: str) -> str:
        async with mutex:
            await st.run(st.delay(1000))
        return await st.run(st.steps(lambda _: name))

    tool = st.VirtualTool()
    body = st.step(work)
    assert tool.result(st.all(body.with_("a"), body.with_("b"))) == ["a", "b"]
    assert tool.now() == 2000


def test_tasks_are_called_back_in_order_whatever_the_order_of_the_tool() -> None:
    for order in range(20):
        told: list[int] = []

        async def work(_: IAsyncSteps) -> None:
            loop = asyncio.get_running_loop()
            for number in range(5):
                loop.call_soon(told.append, number)
            await asyncio.sleep(0.001)

        st.VirtualTool(order=order).result(st.step(work))
        assert told == [0, 1, 2, 3, 4]


def test_it_runs_inside_of_a_loop_of_asyncio() -> None:
    async def work(_: IAsyncSteps) -> str:
        await asyncio.sleep(3600)
        return "an hour later"

    async def main() -> None:
        outer, task = asyncio.get_running_loop(), asyncio.current_task()
        assert st.VirtualTool().result(st.step(work)) == "an hour later"
        assert (asyncio.get_running_loop(), asyncio.current_task()) == (outer, task)
        await asyncio.sleep(0)

    asyncio.run(main())


def test_what_virtual_time_has_not_is_said() -> None:
    async def work(_: IAsyncSteps) -> None:
        await asyncio.to_thread(print)

    tool = st.VirtualTool()
    with pytest.raises(StepError, match="there are no threads in virtual time"):
        tool.result(st.step(work))
    loops: list[asyncio.AbstractEventLoop] = []
    tool.result(st.step(lambda _: loops.append(asyncio.get_running_loop())))
    with pytest.raises(RuntimeError, match="the VirtualTool runs this loop"):
        loops[0].run_forever()
    assert not loops[0].is_running()
    tool.close()
    assert loops[0].is_closed()


def test_a_coroutine_has_the_context_of_its_flow() -> None:
    who: contextvars.ContextVar[str] = contextvars.ContextVar("who")

    async def work(_: IAsyncSteps) -> str:
        await asyncio.sleep(1)
        return who.get()

    who.set("me")
    assert st.VirtualTool().result(st.step(work)) == "me"


def test_a_tool_whose_coroutines_wait_for_ever_is_collected() -> None:
    async def work(_: IAsyncSteps) -> None:
        await asyncio.get_running_loop().create_future()

    def forgotten() -> weakref.ref[Any]:
        tool = st.VirtualTool()
        with pytest.raises(StepError, match="waits for something that never comes"):
            tool.result(st.step(work))
        tool.close()
        return weakref.ref(tool)

    known = forgotten()
    gc.collect()
    assert known() is None
