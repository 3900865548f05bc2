"""Flows as guests of asyncio's loop."""

# Lambdas of tests have no types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
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
async def test_a_step_error_arrives_with_its_notes_and_its_line() -> None:
    def body(_: IAsyncSteps, info: str) -> None:
        error = StepError("Mine", info)
        error.add_note("a note")
        raise error

    async def late(_: IAsyncSteps, info: str) -> None:
        await asyncio.sleep(0)
        raise StepError("Mine", info)

    def called(asi: IAsyncSteps, info: str) -> None:
        asi.error("Mine", info)

    async def notes_of(*parts: Any) -> list[str]:
        with pytest.raises(StepError) as failed:
            await st.run(st.parallel(*parts))
        return getattr(failed.value, "__notes__", [])

    note, line = await notes_of(st.step(body).with_("why"))
    assert note == "a note"
    assert line == f"raised at {__file__}:{body.__code__.co_firstlineno + 3}, in body"
    (line,) = await notes_of(st.step(late).with_("why"))
    assert line.endswith(f":{late.__code__.co_firstlineno + 2}, in late")
    (line,) = await notes_of(st.step(called).with_("why"))
    assert line.endswith(f":{called.__code__.co_firstlineno + 1}, in called")
    again = st.step(called).with_("why").on_error(lambda asi, code: _raise(asi.last_error))
    (line,) = await notes_of(again)
    assert line.endswith("in called")


def _raise(error: BaseException | None) -> None:
    assert error is not None
    raise error


@asynchronous
async def test_the_path_of_an_exception_of_a_coroutine_arrives() -> None:
    async def body(_: IAsyncSteps) -> None:
        await asyncio.sleep(0)
        raise KeyError("x")

    with pytest.raises(StepError) as failed:
        await st.run(st.step(body).named("load"))
    assert failed.value.path == "load"


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
    assert isinstance(tool, st.AsyncioTool)
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
    async def main() -> st.Tool:
        assert st.default_tool() is st.default_tool()
        await st.run(st.delay(1))
        return st.default_tool()

    assert asyncio.run(main()) is not asyncio.run(main())


def test_without_a_loop_there_is_no_tool() -> None:
    with pytest.raises(StepError, match="no asyncio loop runs here"):
        st.AsyncSteps()


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


who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")


@asynchronous
async def test_the_code_of_a_flow_runs_in_the_context_of_whoever_has_started_it() -> None:
    seen: list[tuple[str, str, str]] = []

    def see(of: str, what: str) -> None:
        seen.append((of, what, who.get()))

    def value(of: str) -> st.Step[Any]:
        def body(asi: IAsyncSteps) -> st.Step[Any]:
            see(of, "body")
            asi.defer(lambda _, outcome: see(of, "deferred"))
            asi.set_cancel(lambda _: see(of, "cancel"))
            return st.steps(st.delay(3), st.step(coroutine), fail)

        async def coroutine(_: IAsyncSteps) -> None:
            await asyncio.sleep(0.002)
            see(of, "coroutine")

        def fail(asi: IAsyncSteps) -> None:
            asi.error("Mine")

        return st.step(body).on_error(lambda asi, code: see(of, "handler"))

    async def request(of: str, start: Callable[[st.Step[Any]], Awaitable[object]]) -> None:
        who.set(of)
        with contextlib.suppress(StepError):
            await start(value(of))

    async def flow(of: st.Step[Any]) -> None:
        await st.AsyncSteps().add(of)

    async def inner(of: st.Step[Any]) -> None:
        await st.AsyncSteps().await_(st.AsyncSteps().add(of))

    async def owned(of: st.Step[Any]) -> None:
        ended = asyncio.get_running_loop().create_future()
        st.default_tool().start(of, done=lambda _: (see(who.get(), "done"), ended.set_result(None)))
        await ended

    scope = st.Scope()
    ways: dict[str, Callable[[st.Step[Any]], Awaitable[object]]] = {
        "run": st.run,
        "flow": flow,
        "inner": inner,
        "scope": scope.run,
        "tool": owned,
    }
    await asyncio.gather(*[asyncio.create_task(request(of, way)) for of, way in ways.items()])
    for of in ways:
        told = {what: name for flow_of, what, name in seen if flow_of == of}
        expected = ["body", "coroutine", "handler", "deferred", "cancel"]
        assert told == dict.fromkeys([*expected, *(["done"] if of == "tool" else [])], of)
    assert who.get() == "nobody"


@asynchronous
async def test_what_a_body_sets_in_its_context_the_next_one_of_the_flow_sees() -> None:
    def sets(_: IAsyncSteps) -> None:
        who.set("set")

    async def reads(_: IAsyncSteps) -> str:
        return who.get()

    assert await st.run(st.steps(sets, reads)) == "set"
    assert who.get() == "nobody"


@asynchronous
async def test_a_cancel_handler_that_a_body_of_the_flow_calls_has_its_context() -> None:
    seen: list[str] = []

    def work(asi: IAsyncSteps) -> None:
        who.set("mine")
        asi.set_cancel(lambda _: seen.append(who.get()))
        flow.cancel()

    flow = st.AsyncSteps().add(work)
    with pytest.raises(StepError, match="Canceled"):
        await flow
    assert seen == ["mine"]


@asynchronous
async def test_callbacks_of_a_tool_have_the_context_of_whoever_has_given_them() -> None:
    seen: list[str] = []
    who.set("giver")
    st.default_tool().immediate(lambda: seen.append(who.get()))
    st.default_tool().deferred(1, lambda: seen.append(who.get()))
    who.set("other")
    await st.run(st.delay(5))
    assert seen == ["giver", "giver"]


@asynchronous
async def test_functions_of_retry_and_hedge_and_those_of_map_have_the_context_in_which_they_were_given() -> None:
    seen: list[str] = []

    def see(name: str) -> None:
        seen.append(f"{name} {who.get()}")

    def items() -> Iterator[int]:
        try:
            for number in range(2):
                see(f"item {number}")
                who.set(f"item {number}")
                yield number
        finally:
            see("closed")

    who.set("giver")
    tries = st.retry(
        lambda asi, number: asi.error("Busy") if number == 1 else see("body"),
        max=2,
        base=0,
        on=lambda _: see("retry") or True,
    )
    hedged = st.hedge(lambda asi, number: asi.error("Busy"), after=5, on=lambda _: see("hedge") or False)
    of = st.map(items(), lambda _, item: item, limit=1, sink=lambda _, number: see("sink"))
    who.set("runner")
    await st.run(st.steps(tries, hedged.on_error(lambda asi, _: asi.success()), of))
    assert who.get() == "runner"
    assert seen == [
        "retry giver",
        "body runner",
        "hedge giver",
        "item 0 giver",
        "sink giver",
        "item 1 item 0",
        "sink giver",
        "closed item 1",
    ]


@asynchronous
async def test_cancelling_the_task_of_scope_run_cancels_its_flow() -> None:
    seen: list[str] = []

    async def work(_: IAsyncSteps) -> None:
        try:
            await asyncio.sleep(10)
        finally:
            await asyncio.sleep(0.005)
            seen.append("stopped")

    scope = st.Scope()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await scope.run(st.step(work))
    assert seen == ["stopped"]
    assert scope.size == 0


@asynchronous
async def test_a_signal_ends_what_is_run() -> None:
    for run in (st.run, st.Scope().run):
        signal = st.Signal()
        asyncio.get_running_loop().call_later(0.005, signal.abort)
        with pytest.raises(StepError, match="Canceled"):
            await run(st.delay(10_000), signal=signal)
        with pytest.raises(StepError, match="Canceled"):
            await run(st.delay(10_000), signal=signal)


@asynchronous
async def test_options_that_are_not_known_are_refused() -> None:
    given: Any = {"timeout": 5}
    calls: list[Callable[[], Any]] = [
        lambda: st.AsyncSteps(**given),
        lambda: st.Scope(**given),
        lambda: st.Scope().start(st.delay(1), **given),
        lambda: st.default_tool().start(st.delay(1), **given),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="there is no option 'timeout': known are .*grace"):
            call()
    for run in (st.run, st.Scope().run):
        with pytest.raises(TypeError, match="there is no option 'timeout': known are .*signal"):
            await run(st.delay(1), **given)


@asynchronous
async def test_the_hooks_of_a_scope_are_those_of_flows_with_a_name() -> None:
    told: list[str] = []
    scope = st.Scope(unhandled=lambda error: told.append(error.code))

    def fail(asi: IAsyncSteps) -> None:
        asi.error("Mine")

    scope.start(st.step(fail), name="x")
    await scope.drain(100)
    assert told == ["Mine"]


@asynchronous
async def test_what_a_cancelled_coroutine_raises_is_reported() -> None:
    told: list[BaseException | None] = []
    thrown = ValueError("rollback")

    async def work(_: IAsyncSteps) -> None:
        try:
            await asyncio.sleep(10)
        finally:
            raise thrown

    with pytest.raises(StepError, match="Timeout"):
        await st.run(st.step(work).timeout(5), report=lambda error: told.append(error.__cause__))
    assert told == [thrown]


@asynchronous
async def test_a_wait_for_a_guard_that_is_cut_off_leaves_nothing_in_the_log() -> None:
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    mutex = st.Mutex()
    async with mutex:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.005):
                async with mutex:
                    raise AssertionError
    gc.collect()
    await asyncio.sleep(0)
    assert (told, mutex.active, mutex.waiting) == ([], 0, 0)


@asynchronous
async def test_a_timeout_of_others_has_the_code_timeout() -> None:
    def late(_: IAsyncSteps) -> None:
        raise TimeoutError

    async def waits(_: IAsyncSteps) -> None:
        async with asyncio.timeout(0.001):
            await asyncio.sleep(10)

    for body in (late, waits):
        with pytest.raises(StepError) as failed:
            await st.run(st.step(body))
        assert failed.value.code == "Timeout"
        assert isinstance(failed.value.__cause__, TimeoutError)
    assert st.StepError.of(TimeoutError(110, "late")).code == "ETIMEDOUT"
