"""Plug-ins in C, as steps of Python, and services of Python that they call."""

# Lambdas of tests have no types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
import steptree as st
from steptree import IAsyncSteps, StepError

ROOT = Path(__file__).parents[2]
CPP = ROOT / "cpp"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="plug-ins are of ELF")


def _compiled(folder: Path, source: Path) -> str:
    made = folder / f"{source.stem}.so"
    compiler = os.environ.get("CC") or shutil.which("cc") or "gcc"
    include = f"-I{st.get_include()}"
    command = [compiler, "-std=c99", "-shared", "-fPIC", include, str(source), "-o", str(made)]
    subprocess.run(command, check=True)
    return str(made)


@pytest.fixture(scope="session")
def greeter(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _compiled(tmp_path_factory.mktemp("greeter"), CPP / "examples/plugin-c/greeter.c")


@pytest.fixture(scope="session")
def caller(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _compiled(tmp_path_factory.mktemp("caller"), CPP / "test/pluginhost/caller.c")


def code_of(call: Any) -> str:
    with pytest.raises(StepError) as raised:
        call()
    return raised.value.code


def test_a_plug_in_says_what_it_can_and_does_it(greeter: str) -> None:
    tool = st.VirtualTool()
    with st.PluginHost(tool) as plugins:
        info = plugins.load(greeter)
        assert (info.name, info.version, info.path) == ("greeter", "1.0.0 in C", greeter)
        assert (info.generation, info.phase, info.steps) == (1, "serves", 0)
        assert [handler.name for handler in info.handlers] == ["greet", "welcome"]
        assert (info.handlers[0].least, info.handlers[0].most) == (1, 2)
        greet = plugins.step("greeter", "greet")
        assert repr(greet) == "<Step greeter.greet>"
        assert tool.result(greet.with_("Ada")) == "Hello, Ada!!!"
        assert tool.result(st.steps(lambda _: "Bob", greet)) == "Hello, Bob!!!"
        assert code_of(lambda: tool.result(greet.with_("Ada", 50).timeout(10))) == "Timeout"
        assert code_of(lambda: tool.result(greet)) == "InternalError"
        assert code_of(lambda: tool.result(plugins.step("greeter", "part"))) == "NoHandler"
        assert code_of(lambda: tool.result(plugins.step("other", "greet"))) == "NoPlugin"


def test_what_is_no_plug_in_is_refused_with_its_path() -> None:
    with st.PluginHost(st.VirtualTool()) as plugins:
        with pytest.raises(StepError, match="/nowhere/greeter.so: ") as raised:
            plugins.load(Path("/nowhere/greeter.so"))
        assert raised.value.code == "PluginRefused"
        assert plugins.list() == []


def test_a_plug_in_is_replaced_while_the_calls_of_the_old_one_end(greeter: str) -> None:
    tool = st.VirtualTool()
    with st.PluginHost(tool) as plugins:
        plugins.load(greeter)
        told: list[Any] = []
        greet = plugins.step("greeter", "greet")
        tool.start(greet.with_("Ada", 50), done=lambda outcome: told.append(outcome.result()))
        tool.advance(10)
        assert plugins.load(greeter).generation == 2
        assert [(each.phase, each.steps) for each in plugins.list()] == [("leaves", 1), ("serves", 0)]
        tool.run()
        assert told == ["Hello, Ada!!!"]
        assert [each.generation for each in plugins.list()] == [2]


def test_a_plug_in_is_unloaded_when_its_calls_have_ended(greeter: str) -> None:
    tool = st.VirtualTool()
    with st.PluginHost(tool) as plugins:
        plugins.load(greeter)
        greet = plugins.step("greeter", "greet")
        tool.start(greet.with_("Ada", 50))
        tool.advance(10)
        gone = plugins.unload("greeter")
        tool.advance(10)
        assert not gone.settled
        assert code_of(lambda: tool.result(greet.with_("Bob"))) == "NoPlugin"
        assert gone.settled
        assert plugins.list() == []


def test_an_unloading_is_awaited_and_fails_if_the_host_goes(greeter: str) -> None:
    async def main() -> None:
        with st.PluginHost() as plugins:
            plugins.load(greeter)
            assert await st.run(plugins.step("greeter", "greet").with_("Ada")) == "Hello, Ada!!!"
            gone = plugins.unload("greeter")
            await gone
            await gone
            plugins.load(greeter)
            task = asyncio.create_task(
                st.run(plugins.step("greeter", "greet").with_("Ada", 10_000))
            )
            await asyncio.sleep(0.01)
            never = plugins.unload("greeter")
        with pytest.raises(StepError) as raised:
            await never
        assert raised.value.code == "Canceled"
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_a_plug_in_calls_functions_and_steps_of_python(greeter: str, caller: str) -> None:
    tool = st.VirtualTool()
    with st.PluginHost(tool) as plugins:
        plugins.load(greeter)
        plugins.load(caller)
        calls = plugins.step("caller", "calls")

        def greeting_for(_: IAsyncSteps, language: str) -> str:
            if language != "de":
                raise StepError("NoLanguage", language)
            return "Hallo"

        plugins.offer("greeting.for", greeting_for)
        welcome = plugins.step("greeter", "welcome")
        assert tool.result(welcome.with_("Ada", "de")) == "Hallo, Ada!!!"
        with pytest.raises(StepError) as raised:
            tool.result(welcome.with_("Ada", "fr"))
        assert raised.value.code == "NoLanguage"
        assert raised.value.path == "greeter.welcome/greeting.for/0"
        plugins.offer("echo", st.steps(st.delay(5), lambda _: None, lambda _: [1, {"a": b"b"}, None]))
        assert tool.result(calls.with_("echo")) == [1, {"a": b"b"}, None]
        plugins.offer("greet", plugins.step("greeter", "greet"))
        assert tool.result(calls.with_("greet", "Ada")) == "Hello, Ada!!!"
        plugins.withdraw("greet")
        assert code_of(lambda: tool.result(calls.with_("greet", "Ada"))) == "NoService"
        assert code_of(lambda: plugins.offer("", st.delay(1))) == "InternalError"
        assert code_of(lambda: plugins.offer("one", 7)) == "InternalError"  # pyright: ignore[reportArgumentType]


def test_a_service_has_the_deadline_of_its_caller_and_cleans_up(caller: str) -> None:
    tool = st.VirtualTool()
    told: list[object] = []

    def find(asi: IAsyncSteps) -> None:
        told.append(asi.remaining())
        asi.defer(lambda _, outcome: told.append(outcome.code))
        asi.add(st.delay(1000))

    with st.PluginHost(tool) as plugins:
        plugins.load(caller)
        plugins.offer("find", find)
        assert code_of(lambda: tool.result(plugins.step("caller", "finds").timeout(20))) == "Timeout"
    assert told == [20, "Canceled"]


def test_a_coroutine_function_is_a_service(caller: str) -> None:
    cancelled: list[str] = []

    async def find(asi: IAsyncSteps, name: str) -> str:
        try:
            await asyncio.sleep(0 if name == "quick" else 10)
        except asyncio.CancelledError:
            cancelled.append(name)
            raise
        return f"found {name}"

    async def main() -> None:
        with st.PluginHost() as plugins:
            plugins.load(caller)
            plugins.offer("find", find)
            finds = plugins.step("caller", "finds")
            assert await st.run(finds.with_("quick")) == "found quick"
            with pytest.raises(StepError, match="Timeout"):
                await st.run(finds.with_("slow").timeout(10))
            await plugins.unload("caller")

    asyncio.run(main())
    assert cancelled == ["slow"]


def test_a_service_lives_until_it_is_withdrawn_and_its_call_has_ended(caller: str) -> None:
    class Thing:
        pass

    tool = st.VirtualTool()
    thing = Thing()
    known = weakref.ref(thing)

    def find(asi: IAsyncSteps, of: Thing = thing) -> str:
        return type(of).__name__

    with st.PluginHost(tool) as plugins:
        plugins.load(caller)
        plugins.offer("find", st.steps(st.delay(10), find))
        del find, thing
        gc.collect()
        told: list[Any] = []
        finds = plugins.step("caller", "finds")
        tool.start(finds, done=lambda outcome: told.append(outcome.result()))
        tool.advance(5)
        plugins.withdraw("find")
        gc.collect()
        tool.run()
        assert told == ["Thing"]
        gc.collect()
        assert known() is None


def test_what_a_host_offers_goes_with_it(caller: str) -> None:
    tool = st.VirtualTool()
    plugins = st.PluginHost(tool)
    known = weakref.ref(plugins)
    plugins.load(caller)
    plugins.offer("itself", plugins.step("caller", "counts"))
    assert tool.result(plugins.step("caller", "calls").with_("itself")) == 1
    plugins.close()
    assert code_of(plugins.list) == "InternalError"
    assert code_of(lambda: plugins.offer("more", st.delay(1))) == "InternalError"
    del plugins
    gc.collect()
    assert known() is None


def _mapped(file: str) -> int:
    """How often the plug-in's code is in the process: of copies of its file."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return len({line.split()[4] for line in lines if f"-{Path(file).name}" in line})


def test_a_host_that_is_not_closed_warns_and_goes(caller: str) -> None:
    tool = st.VirtualTool()
    before = _mapped(caller)

    def forget() -> weakref.ref[Any]:
        plugins = st.PluginHost(tool)
        plugins.load(caller)
        plugins.offer("itself", lambda _: len(plugins.list()))
        plugins.offer("again", plugins.step("caller", "calls").with_("itself"))
        assert tool.result(plugins.step("caller", "calls").with_("again")) == 1
        assert _mapped(caller) > before
        return weakref.ref(plugins)

    known = forget()
    with pytest.warns(ResourceWarning, match="a PluginHost that isn't closed"):
        gc.collect()
    tool.run()
    gc.collect()
    assert known() is None
    assert _mapped(caller) == before


def test_a_host_that_is_not_closed_waits_for_calls_that_have_begun(caller: str) -> None:
    tool = st.VirtualTool()
    told: list[object] = []

    def forget() -> None:
        plugins = st.PluginHost(tool)
        plugins.load(caller)
        plugins.offer("slow", st.steps(st.delay(10), lambda _: len(plugins.list())))
        call = plugins.step("caller", "calls").with_("slow")
        tool.start(call, done=lambda outcome: told.append(outcome.result()))
        tool.advance(5)
        plugins.offer("slow", lambda _: "other")

    forget()
    gc.collect()
    with pytest.warns(ResourceWarning):
        tool.run()
        gc.collect()
    assert told == [1]


def test_services_that_call_each_other_in_a_ring_fail(caller: str) -> None:
    tool = st.VirtualTool()
    with st.PluginHost(tool) as plugins:
        plugins.load(caller)
        calls: list[int] = []

        def ring(asi: IAsyncSteps) -> None:
            calls.append(1)
            asi.add(plugins.step("caller", "calls").with_("ring"))

        plugins.offer("ring", ring)
        with pytest.raises(StepError, match="inside of 256 calls of services"):
            tool.result(plugins.step("caller", "calls").with_("ring"))
        assert len(calls) == 256


def test_services_are_offered_and_withdrawn_on_any_thread(caller: str) -> None:
    tool = st.VirtualTool()
    with st.PluginHost(tool) as plugins:
        plugins.load(caller)

        def work() -> None:
            plugins.offer("find", lambda _: "here")
            plugins.withdraw("gone")

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert tool.result(plugins.step("caller", "finds")) == "here"


# ---- what is odd ----


@pytest.fixture(scope="session")
def raw(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("raw")
    source = folder / "raw.c"
    source.write_text(RAW)
    return _compiled(folder, source)


RAW = r"""
#include "steptree/steptree.h"
static const steptree_api* api;
static const steptree_error* fails(steptree_step* asi, const steptree_args* args, void* data) {
    (void)data;
    return api->step->error(asi, args->values[0].of.text, args->values[1].of.text);
}
static const steptree_error* gives(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_value text = {0};
    (void)args; (void)data;
    text.tag = STEPTREE_STRING;
    text.of.text.data = "ab\xff";
    text.of.text.size = 3;
    return api->step->success(asi, &text, 1);
}
static void dropped(void* thing) { (void)thing; }
static const steptree_kind kThing = {sizeof kThing, 0, {"thing", 5}, &dropped};
static const steptree_error* things(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_value thing = {0};
    (void)args; (void)data;
    thing.tag = STEPTREE_OPAQUE;
    thing.of.opaque.pointer = &api;
    thing.of.opaque.kind = &kThing;
    return api->step->success(asi, &thing, 1);
}
static const steptree_error* start(const steptree_api* given, steptree_plugin_host* host, void* data) {
    (void)host; (void)data;
    api = given;
    return NULL;
}
static const steptree_plugin_handler handlers[] = {
    STEPTREE_HANDLER("fails", "caf\xe9", 2, 2, &fails),
    STEPTREE_HANDLER("gives", "", 0, 0, &gives),
    STEPTREE_HANDLER("things", "", 0, 0, &things)};
STEPTREE_PLUGIN("raw", "1\xff", handlers, &start, NULL)
"""


def test_texts_that_are_no_utf8_are_read_with_replacements(raw: str) -> None:
    async def main() -> None:
        with st.PluginHost() as plugins:
            info = plugins.load(raw)
            assert (info.version, info.handlers[0].description) == ("1\ufffd", "caf\ufffd")
            assert plugins.list() == [info]
            assert await asyncio.wait_for(st.run(plugins.step("raw", "gives")), 5) == "ab\ufffd"
            for given, told in (((b"\xff", b"x"), "\ufffd: x"), ((b"C", b"caf\xe9"), "C: caf\ufffd")):
                fails = plugins.step("raw", "fails").with_(*given)
                with pytest.raises(StepError) as raised:
                    await asyncio.wait_for(st.run(fails), 5)
                assert str(raised.value) == f"{told} (at raw.fails)"
                handled = fails.on_error(lambda asi, code: asi.success(code))
                assert await asyncio.wait_for(st.run(handled), 5) == told.split(":")[0]

    asyncio.run(main())


def test_a_result_that_python_cant_have_is_an_error(raw: str) -> None:
    async def main() -> None:
        with st.PluginHost() as plugins:
            plugins.load(raw)
            with pytest.raises(StepError, match="InternalError: a value of C.*: thing"):
                await asyncio.wait_for(st.run(plugins.step("raw", "things")), 5)
            told: list[st.Outcome] = []
            st.default_tool().start(plugins.step("raw", "things"), done=told.append)
            await asyncio.sleep(0.01)
            assert [(of.kind, of.code, of.values) for of in told] == [("error", "InternalError", [])]

    asyncio.run(main())


def test_the_path_of_an_exception_of_a_service_arrives(greeter: str) -> None:
    tool = st.VirtualTool()
    with st.PluginHost(tool) as plugins:
        plugins.load(greeter)
        plugins.offer("greeting.for", lambda asi, language: {"de": "Hallo"}[language])
        with pytest.raises(StepError) as raised:
            tool.result(plugins.step("greeter", "welcome").with_("Ada", "fr"))
        assert isinstance(raised.value.__cause__, KeyError)
        assert raised.value.path == "greeter.welcome/greeting.for/0"


def test_names_and_paths_are_texts() -> None:
    with st.PluginHost(st.VirtualTool()) as plugins:
        odd: Any = plugins
        calls: list[Any] = [
            lambda: odd.step(1, "x"),
            lambda: odd.step(None, "x"),
            lambda: odd.step("x", None),
            lambda: odd.offer(3, st.delay(1)),
            lambda: odd.withdraw(b"x"),
            lambda: odd.unload(None),
            lambda: odd.load(b"x.so"),
            lambda: odd.load(7),
        ]
        for call in calls:
            with pytest.raises(TypeError, match="expected a str"):
                call()


def test_a_host_is_closed_after_its_loop() -> None:
    async def main() -> st.PluginHost:
        return st.PluginHost()

    plugins = asyncio.run(main())
    plugins.close()
    plugins.close()
    assert code_of(plugins.list) == "InternalError"


def test_the_headers_for_plug_ins_are_in_the_package(tmp_path: Path) -> None:
    source = tmp_path / "plain.cpp"
    source.write_text('#include "steptree/plugin.hpp"\nint main() { return 0; }\n')
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{st.get_include()}", str(source)]
    subprocess.run(command, check=True)
