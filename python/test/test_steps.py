"""Steps, values and errors, in virtual time."""

# Lambdas of tests have no types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import contextlib
import errno
import gc
import math
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from types import FrameType
from typing import Any

import pytest
import steptree as st
from steptree import IAsyncSteps, StepError


@pytest.fixture
def tool() -> Iterator[st.VirtualTool]:
    made = st.VirtualTool()
    yield made
    made.close()


class Thing:
    pass


THING = Thing()


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        0,
        -(2**63),
        2**63 - 1,
        2**64,
        1.5,
        math.inf,
        "",
        "gr\u00fc\u00df\u00e9 \U0001f600",
        b"",
        b"\0\xff",
        [],
        [1, [2, [None]], "x"],
        {},
        {"a": 1, 2: [True], None: {"b": b"c"}},
        (1, 2),
        {1, 2},
        THING,
        [THING, {"k": THING}],
    ],
)
def test_a_value_goes_from_step_to_step_as_it_is(tool: st.VirtualTool, value: object) -> None:
    seen: list[object] = []
    tool.result(st.steps(lambda _: value, lambda _, given: seen.append(given)))
    assert seen == [value]
    assert type(seen[0]) is type(value)


def test_any_object_is_carried_not_copied(tool: st.VirtualTool) -> None:
    assert tool.result(st.step(lambda _: THING)) is THING


def test_a_list_is_copied(tool: st.VirtualTool) -> None:
    given = [1]
    assert tool.result(st.step(lambda _: given)) is not given


def test_none_is_no_value(tool: st.VirtualTool) -> None:
    seen: list[tuple[object, ...]] = []
    tool.result(st.steps(lambda _: None, lambda _, *given: seen.append(given)))
    assert seen == [()]


def test_a_body_gets_as_many_values_as_it_takes(tool: st.VirtualTool) -> None:
    def three(asi: IAsyncSteps) -> None:
        asi.success(1, 2, 3)

    class Method:
        def two(self, _: IAsyncSteps, a: int, b: int) -> list[int]:
            return [a, b]

    assert tool.result(st.steps(three, lambda _, a: a)) == 1
    assert tool.result(st.steps(three, Method().two)) == [1, 2]
    assert tool.result(st.steps(three, lambda _, *all: list(all))) == [1, 2, 3]


def test_more_than_four_values_fail_the_step(tool: st.VirtualTool) -> None:
    with pytest.raises(StepError, match="InternalError"):
        tool.result(st.step(lambda asi: asi.success(1, 2, 3, 4, 5)))


def test_a_value_that_has_itself_inside_fails_the_step(tool: st.VirtualTool) -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(StepError) as failed:
        tool.result(st.step(lambda _: value))
    assert isinstance(failed.value.__cause__, RecursionError)


def test_a_text_that_is_no_utf8_fails_the_step(tool: st.VirtualTool) -> None:
    with pytest.raises(StepError) as failed:
        tool.result(st.step(lambda _: "\ud800"))
    assert isinstance(failed.value.__cause__, UnicodeEncodeError)


# ---- errors ----


def test_a_raised_step_error_fails_the_flow_with_code_info_and_path(tool: st.VirtualTool) -> None:
    def body(_: IAsyncSteps) -> None:
        raise StepError("NotFound", "no such user")

    with pytest.raises(StepError) as failed:
        tool.result(st.steps(st.step(body).named("load")))
    assert (failed.value.code, failed.value.info) == ("NotFound", "no such user")
    assert failed.value.path.endswith("load")
    assert str(failed.value).startswith("NotFound: no such user (at ")


def test_a_foreign_exception_is_the_cause_itself(tool: st.VirtualTool) -> None:
    thrown = ValueError("boom")
    seen: list[Any] = []

    def body(_: IAsyncSteps) -> None:
        raise thrown

    def look(asi: IAsyncSteps, code: str) -> None:
        assert asi.last_error is not None
        seen.extend([code, asi.last_error.info, asi.last_error.__cause__, asi.last_exception])

    with pytest.raises(StepError) as failed:
        tool.result(st.step(body).on_error(look))
    assert failed.value.code == "InternalError"
    assert failed.value.__cause__ is thrown
    assert seen == ["InternalError", "boom", thrown, thrown]


def test_the_path_of_a_foreign_exception_arrives(tool: st.VirtualTool) -> None:
    told: list[Any] = []

    def body(_: IAsyncSteps) -> None:
        raise KeyError("x")

    value = st.steps(st.step(body).named("load")).named("page")
    with pytest.raises(StepError) as failed:
        tool.result(value)
    assert failed.value.path == "page/load"
    assert isinstance(failed.value.__cause__, KeyError)
    assert StepError.of(failed.value.__cause__).path == "page/load"
    tool.start(value, unhandled=told.append)
    tool.run()
    assert [error.path for error in told] == ["page/load"]


def test_an_error_that_isnt_made_of_texts_is_refused() -> None:
    odd: Any = StepError
    with pytest.raises(TypeError, match="StepError: code: expected a str, got 3"):
        odd(3, "why")
    with pytest.raises(TypeError, match="StepError: info: expected a str, got None"):
        odd("Code", None)


def test_the_cause_of_a_step_error_is_kept(tool: st.VirtualTool) -> None:
    thrown = KeyError("x")

    def body(_: IAsyncSteps) -> None:
        try:
            raise StepError("Inner") from thrown
        except StepError as inner:
            raise StepError("Outer") from inner

    with pytest.raises(StepError) as failed:
        tool.result(st.step(body))
    assert failed.value.code == "Outer"
    inner = failed.value.__cause__
    assert isinstance(inner, StepError) and inner.code == "Inner"
    assert inner.__cause__ is thrown


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "no"), "ECONNREFUSED"),
        (FileNotFoundError(errno.ENOENT, "no", "file"), "ENOENT"),
        (OSError("no number"), "InternalError"),
        (socket.gaierror(socket.EAI_NONAME, "no host"), "ENOTFOUND"),
        (TimeoutError(), "Timeout"),
        (ZeroDivisionError(), "InternalError"),
    ],
)
def test_a_foreign_exception_has_the_code_of_its_number(
    tool: st.VirtualTool, raised: Exception, code: str
) -> None:
    def body(_: IAsyncSteps) -> None:
        raise raised

    def wrapping(_: IAsyncSteps) -> None:
        raise RuntimeError("wrapped") from raised

    for each in (body, wrapping):
        with pytest.raises(StepError) as failed:
            tool.result(st.step(each))
        assert failed.value.code == code
    assert StepError.of(raised).code == code


def test_an_error_that_is_raised_again_is_the_same(tool: st.VirtualTool) -> None:
    def body(_: IAsyncSteps) -> None:
        raise StepError("First")

    def again(asi: IAsyncSteps, _: str) -> None:
        assert asi.last_error is not None
        raise asi.last_error

    with pytest.raises(StepError) as failed:
        tool.result(st.steps(st.step(body).named("a")).on_error(again))
    assert failed.value.code == "First"
    assert failed.value.path == "0"  # of the handler's step


def test_asi_error_leaves_the_body(tool: st.VirtualTool) -> None:
    seen: list[str] = []

    def body(asi: IAsyncSteps) -> None:
        try:
            asi.error("Mine", "info")
        except StepError as error:
            seen.append(error.code)
            raise

    with pytest.raises(StepError, match="Mine: info"):
        tool.result(st.step(body))
    assert seen == ["Mine"]


def test_a_refusal_tells_its_guard(tool: st.VirtualTool) -> None:
    rate = st.Throttle(1, period=60_000, max_queue=0, name="mail")
    mail = st.sync(rate, lambda _: "sent")
    assert tool.result(mail) == "sent"
    with pytest.raises(StepError) as refused:
        tool.result(mail)
    assert refused.value.guard == "mail"
    assert refused.value.retry_after is not None and refused.value.retry_after > 50_000


# ---- kinds of steps ----


def test_loops_break_and_continue(tool: st.VirtualTool) -> None:
    seen: list[object] = []

    def body(asi: IAsyncSteps, number: int, item: str) -> None:
        if item == "b":
            asi.continue_loop()
        if item == "d":
            asi.break_loop()
        seen.append((number, item))

    tool.result(st.for_each("abcd", body))
    tool.result(st.repeat(2, lambda _, i: seen.append(i)))
    tool.result(st.for_each({"k": 1}, lambda _, k, v: seen.append((k, v))))
    assert seen == [(0, "a"), (2, "c"), 0, 1, ("k", 1)]


def test_a_deadline_closes_what_is_inside(tool: st.VirtualTool) -> None:
    seen: list[str] = []

    def work(asi: IAsyncSteps) -> None:
        asi.set_cancel(lambda _: seen.append("cancelled"))
        asi.defer(lambda _, outcome: seen.append(outcome.kind))
        asi.add(st.delay(timedelta(hours=1)))

    late = st.step(work).timeout(500).on_error(lambda asi, code: asi.success(code))
    assert tool.result(late) == "Timeout"
    assert seen == ["cancelled", "cancelled"]
    assert tool.now() == 500


def test_branches_run_side_by_side(tool: st.VirtualTool) -> None:
    def part(name: str, ms: float) -> st.Step[Any]:
        return st.steps(st.delay(ms), lambda _: name)

    assert tool.result(st.all(part("a", 2), part("b", 1))) == ["a", "b"]
    assert tool.result(st.any(part("a", 2), part("b", 1))) == "b"
    assert tool.result(st.race(part("a", 2), part("b", 1))) == "b"
    assert tool.now() == 4


def test_map_takes_from_any_iterable_when_there_is_room(tool: st.VirtualTool) -> None:
    taken: list[int] = []

    def numbers() -> Iterator[int]:
        try:
            for number in range(100):
                taken.append(number)
                yield number
        finally:
            taken.append(-1)

    def body(asi: IAsyncSteps, item: int, _: int) -> object:
        if item == 3:
            asi.error("Enough")
        return st.steps(st.delay(1), lambda _: item * 2)

    with pytest.raises(StepError, match="Enough"):
        tool.result(st.map(numbers(), body, limit=2))
    assert taken == [0, 1, 2, 3, -1]
    assert tool.result(st.map([1, 2], lambda _, item: item * 2, limit=2)) == [2, 4]


def test_retry_asks_which_errors(tool: st.VirtualTool) -> None:
    asked: list[str] = []

    def on(error: StepError) -> float | bool:
        asked.append(error.code)
        return 7 if len(asked) < 3 else False

    def body(asi: IAsyncSteps, _: int) -> None:
        asi.error("Busy")

    with pytest.raises(StepError, match="Busy"):
        tool.result(st.retry(body, max=5, on=on))
    assert asked == ["Busy"] * 3
    assert tool.now() == 14


def test_a_channel_hands_values_on(tool: st.VirtualTool) -> None:
    jobs = st.Channel[int](1, name="jobs")

    def produce(asi: IAsyncSteps, _: int, job: int) -> None:
        jobs.send(asi, job)

    consumed: list[Any] = []
    tool.start(st.map(jobs, lambda _, job: job * 10, limit=2), done=consumed.append)
    tool.start(st.steps(st.for_each([1, 2, 3], produce), lambda _: jobs.close()))
    tool.run()
    assert consumed[0].value == [10, 20, 30]


def test_a_breaker_asks_what_is_a_failure(tool: st.VirtualTool) -> None:
    breaker = st.Breaker(calls=2, min_calls=1, rate=0.5, on=lambda error: error.code == "Down")

    def down(asi: IAsyncSteps) -> None:
        asi.error("Down")

    with pytest.raises(StepError, match="Down"):
        tool.result(st.sync(breaker, down))
    assert breaker.state == "open"


def test_guards_of_keys(tool: st.VirtualTool) -> None:
    users = st.Keyed(st.Limiter, lambda user: {"concurrent": 1, "max_queue": 0, "name": user})

    def upload(user: str) -> st.Step[Any]:
        return st.sync(users.of(user), st.delay(5))

    with pytest.raises(StepError, match="limiter 'ann'"):
        tool.result(st.all(upload("ann"), upload("bob"), upload("ann")))
    assert users.size == 0
    assert users.read("ann") is None


def test_a_local_is_seen_inside(tool: st.VirtualTool) -> None:
    user: st.Local[str] = st.Local("user")

    def request(asi: IAsyncSteps) -> st.Step[Any]:
        user.set(asi, "Ann")
        return st.steps(lambda inner: user.get(inner))

    assert tool.result(st.steps(request, lambda asi, name: [name, user.get(asi, "-")])) == [
        "Ann",
        "-",
    ]


def test_the_state_is_the_flows(tool: st.VirtualTool) -> None:
    def body(asi: IAsyncSteps) -> object:
        asi.state["a"] = [1]
        assert "a" in asi.state and asi.state["a"] == [1]
        del asi.state["a"]
        return asi.state.get("a", "none")

    assert tool.result(st.step(body)) == "none"
    flow = st.AsyncSteps(tool)
    flow.state["k"] = 5
    with pytest.raises(KeyError):
        flow.state["other"]
    assert flow.state["k"] == 5


def test_a_flow_runs_again(tool: st.VirtualTool) -> None:
    ends: list[str] = []
    flow = st.AsyncSteps(tool, name="main")
    for reason in ("", "stop"):
        flow.add(st.delay(5)).parallel(name="p").add(st.delay(1)).add(st.delay(2))
        flow.execute(lambda outcome: ends.append(outcome.kind + outcome.reason))
        if reason:
            flow.cancel(reason)
        tool.run()
    assert ends == ["ok", "cancelledstop"]
    assert flow.snapshot()["name"] == "main"


def test_a_signal_ends_a_flow(tool: st.VirtualTool) -> None:
    ends: list[str] = []
    heard: list[int] = []
    signal = st.Signal()
    handle = signal.listen(lambda: heard.append(1))
    tool.start(st.delay(1000), signal=signal, done=lambda outcome: ends.append(outcome.kind))
    tool.advance(1)
    assert signal.abort() and not signal.abort() and signal.aborted()
    tool.run()
    assert (ends, heard, handle.valid()) == (["cancelled"], [1], False)


def test_a_scope_ends_its_flows(tool: st.VirtualTool) -> None:
    counts: list[int] = []
    scope = st.Scope(tool, name="clients")
    scope.start(st.delay(5))
    scope.start(st.delay(5000))
    tool.advance(1)
    scope.on_drain(counts.append, 100)
    tool.run()
    assert (counts, scope.draining, scope.size) == ([1], True, 0)


def test_what_flows_do_is_observed(tool: st.VirtualTool) -> None:
    seen: list[str] = []
    handle = st.observe(tool, lambda event: seen.append(event.what), bodies=True)
    recorder = st.FlightRecorder(tool, 10)
    tool.result(st.step(lambda _: None))
    handle.cancel()
    tool.result(st.step(lambda _: None))
    assert seen[0] == "begun" and seen[-1] == "ended" and "body" in seen
    assert "ended ok" in recorder.text()
    assert recorder.events()[-1]["what"] == "ended"


def test_step_values_are_shared_and_told_by_their_names(tool: st.VirtualTool) -> None:
    @st.step
    def load(_: IAsyncSteps, id: str) -> str:
        return f"user {id}"

    ann = load.timeout(500).named("load").with_("ann")
    assert [tool.result(ann), tool.result(ann)] == ["user ann", "user ann"]
    assert repr(load) == "<Step load>"
    assert st.step(load) is load


def test_a_limit_has_to_be_whole() -> None:
    for bad in (0, 1.5, math.nan, -1):
        with pytest.raises(StepError, match="InternalError"):
            st.Mutex(bad)
    gc.collect()


class Alarm(Exception):
    pass


@pytest.mark.parametrize("where", ["py_body", "call", "_call", "_failed"])
@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, Alarm])
def test_what_a_signal_handler_raises_in_the_package_fails_the_step(
    tool: st.VirtualTool, where: str, raised: type[BaseException]
) -> None:
    """A profile function raises where a handler of a signal may."""
    outcomes: list[st.Outcome] = []

    def hit(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name == where:
            sys.setprofile(None)
            raise raised

    def body(_: IAsyncSteps) -> None:
        if where == "_failed":
            raise ValueError

    tool.start(st.step(body), done=outcomes.append)
    leaves = contextlib.nullcontext() if raised is Alarm else pytest.raises(raised)
    sys.setprofile(hit)
    try:
        with leaves:
            tool.run()
    finally:
        sys.setprofile(None)
    [outcome] = outcomes
    assert outcome.error is not None
    assert isinstance(outcome.error.__cause__, raised)


SHORT_OF_STACK = """
import sys
import steptree as st

tool = st.VirtualTool()
ran = []
value = st.steps(lambda _: ran.append(True), lambda _: "done")

def down(levels):
    return down(levels - 1) if levels else tool.result(value)

ends = set()
for levels in range(sys.getrecursionlimit() - 60, sys.getrecursionlimit() - 1):
    ran.clear()
    try:
        down(levels)
        ends.add("well" if ran else "done, and has not run")
    except (RecursionError, st.StepError):
        ends.add("failed")
print(sorted(ends))
"""


def test_short_of_stack_nothing_counts_as_done_that_has_not_run() -> None:
    command = [sys.executable, "-c", SHORT_OF_STACK]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert told.stdout == "['failed', 'well']\n"


def test_a_function_that_yields_is_no_body() -> None:
    def body(_: IAsyncSteps) -> Any:
        yield 1

    with pytest.raises(StepError, match="body: a function that yields is no body"):
        st.step(body)


def test_a_chain_of_steps_that_a_body_returns_is_no_value(tool: st.VirtualTool) -> None:
    chain = st.step(lambda asi: asi.add(lambda _: 1).add(lambda _, before: before + 1))
    assert tool.result(chain) == 2


def test_a_code_in_the_place_of_codes_is_refused() -> None:
    with pytest.raises(StepError, match=r"on: expected a list of codes, got 'Busy': say \['Busy'\]"):
        st.retry(lambda _: None, max=2, on="Busy")


def test_options_of_a_key_that_are_not_known_are_refused(tool: st.VirtualTool) -> None:
    users = st.Keyed(st.Limiter, lambda user: {"concurent": 1, "name": user})
    ended: list[st.Outcome] = []
    tool.start(st.sync(users.of("ann"), lambda _: None), done=ended.append)
    tool.run()
    assert ended[0].code == "InternalError"
    assert "there is no option 'concurent': known are " in str(ended[0].error)


def test_an_interrupt_in_the_functions_of_a_map_or_a_retry_leaves_the_tool() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise KeyboardInterrupt

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    def fails(asi: IAsyncSteps, _: int) -> None:
        asi.error("Busy")

    for value in (
        st.map(items(), lambda _, item: item, limit=1),
        st.map([1], lambda _, item: item, limit=1, sink=stop),
        st.retry(fails, max=2, on=stop),
    ):
        tool = st.VirtualTool()
        told: list[st.Outcome] = []
        tool.start(value, done=told.append)
        with pytest.raises(KeyboardInterrupt):
            tool.run()
        tool.run()
        assert [outcome.kind for outcome in told] == ["error"]
