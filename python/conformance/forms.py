"""Steps, as a case describes them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import actions
import bodies
import guards
import steptree as st
from world import Context, World, as_json, number_in

Form = Any
FORMS = frozenset(
    "step steps loop repeat forEach map all parallel race any await sync shield delay retry"
    " successStep hedge wrapped".split()
)
VALUES = frozenset("steps all race any map retry hedge shield delay wrapped".split())


def kind_of(form: Form) -> str:
    return form if isinstance(form, str) else next(iter(form))


def is_form(action: Any) -> bool:
    return action == "relinquish" if isinstance(action, str) else next(iter(action)) in FORMS


def id_of(form: Form) -> str:
    first = next(iter(form.values()))
    return first if isinstance(first, str) else ""


def times_of(form: Form) -> int:
    times = number_in(form["times"])
    return int(times) if math.isfinite(times) and times == math.floor(times) else -1


def collection_of(of: Any) -> Any:
    if isinstance(of, dict) and isinstance(of.get("map"), list):  # pyright: ignore[reportUnknownMemberType]
        return {key: value for key, value in of["map"]}  # pyright: ignore[reportUnknownVariableType]
    return of if isinstance(of, (list, dict, str)) else None  # pyright: ignore[reportUnknownVariableType]


def code_of(world: World, form: Form) -> Any:
    """The body, or the step value in its place."""
    if "body" in form:
        return value_of(world, form["body"])
    return bodies.body(world, id_of(form), form.get("do", []))


def add_all(world: World, to: Any, forms: list[Form]) -> None:
    for form in forms:
        add(world, to, form)


def add(world: World, to: Any, form: Form) -> None:
    if isinstance(form, str):
        to.relinquish()
        return
    kind = next(iter(form))
    handler = bodies.handler(world, id_of(form), form.get("catch"))
    label = form.get("label", "")
    if kind in VALUES:
        to.add(value_of(world, form))
    elif kind == "step":
        to.add(code_of(world, form), handler, form.get("name", ""))
    elif kind == "loop":
        to.loop(code_of(world, form), label)
    elif kind == "repeat":
        to.repeat(times_of(form), code_of(world, form), label)
    elif kind == "forEach":
        of = world.found(world.channels, form["from"]) if "from" in form else None
        to.for_each(of or collection_of(form["of"]), code_of(world, form), label)
    elif kind == "await":
        flow = "flow" in form
        of = world.found(world.flows, form["flow"]) if flow else world.promise(form["on"])
        to.await_(of, handler)
    elif kind == "sync":
        to.sync(guards.guard_of(world, form), code_of(world, form), handler)
    elif kind == "parallel":
        add_all(world, to.parallel(handler, form.get("name", "")), form.get("branches", []))
    else:
        to.success_step(*form["successStep"])


# ---- step values ----


def value_of(world: World, form: Form) -> st.Step[Any]:
    kind = kind_of(form)
    if kind in ("await", "successStep", "relinquish", "parallel"):

        def call(asi: st.IAsyncSteps) -> None:
            add(world, asi, form)

        return st.step(call)
    made = _plain(world, form, kind)
    if "catch" in form and kind != "wrapped":
        made = made.on_error(bodies.handler(world, id_of(form), form["catch"]))
    return made.named(form["name"]) if "name" in form else made


def _plain(world: World, form: Form, kind: str) -> st.Step[Any]:
    if kind == "steps":
        return st.steps(*[value_of(world, part) for part in form.get("parts", [])])
    if kind in ("all", "race", "any"):
        made_of = {"all": st.all, "race": st.race, "any": st.any}[kind]
        return made_of(*[value_of(world, branch) for branch in form.get("branches", [])])
    if kind == "delay":
        return st.delay(number_in(form["delay"]))
    if kind == "map":
        return _map(world, form)
    if kind == "wrapped":
        made = value_of(world, form["wrapped"])
        for wrap in form["wraps"]:
            made = _wrapped(world, made, wrap)
        return made
    return _of_body(world, form, kind)


def _wrapped(world: World, made: st.Step[Any], wrap: Form) -> st.Step[Any]:
    if "timeout" in wrap:
        return made.timeout(number_in(wrap["timeout"]), wrap.get("code"))
    if "name" in wrap:
        return made.named(wrap["name"])
    if "with" in wrap:
        return made.with_(*wrap["with"])
    return made.on_error(bodies.handler(world, wrap["catch"], wrap.get("do", [])))


def _of_body(world: World, form: Form, kind: str) -> st.Step[Any]:
    code, label = code_of(world, form), form.get("label", "")
    if kind == "step":
        return st.step(code)
    if kind == "loop":
        return st.loop(code, label)
    if kind == "repeat":
        return st.repeat(times_of(form), code, label)
    if kind == "forEach":
        of = world.found(world.channels, form["from"]) if "from" in form else None
        return st.for_each(of or collection_of(form["of"]), code, label)
    if kind == "shield":
        return st.shield(number_in(form["limit"]), code)
    if kind == "sync":
        return st.sync(guards.guard_of(world, form), code)
    given: dict[str, Any] = {}
    if "budget" in form:
        given["budget"] = world.found(world.budgets, form["budget"])
    if "on" in form:
        given["on"] = _on(form["on"])
    if kind == "hedge":
        if "max" in form:
            given["max"] = number_in(form["max"])
        return st.hedge(code, after=number_in(form["after"]), **given)
    for key, value in form.get("backoff", {}).items():
        given[key] = number_in(value)
    return st.retry(code, max=number_in(form["max"]), **given)


def _on(on: Any) -> Any:
    """A list of codes, or a function that answers what stands at the code."""
    if isinstance(on, list):
        return on  # pyright: ignore[reportUnknownVariableType]

    def answer(error: st.StepError) -> Any:
        found = on.get(error.code, False)
        if found == "retry_after":
            return False if error.retry_after is None else error.retry_after
        return found if isinstance(found, bool) else number_in(found)

    return answer


class _Items:
    """A source that writes when it is asked for an item, and when it is left before its end."""

    def __init__(self, world: World, of: Any):
        self._world = world
        self._of = of

    def __iter__(self) -> Iterator[Any]:
        return _ItemsRun(self._world, self._of)


class _ItemsRun:
    def __init__(self, world: World, of: Any):
        self._world = world
        self._of = of
        self._id: str = of["source"]
        self._next = 0
        self._open = True

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        of, number = self._of, self._next
        self._next += 1
        if self._id:
            self._world.log(f"{self._id}+")
        self._open = False
        todo = of.get("at", {}).get(str(number))
        if todo is not None:
            actions.perform(self._world, Context(id=self._id), todo)
        items = of.get("items", [])
        if number >= len(items) and not of.get("endless"):
            raise StopIteration
        self._open = True
        return items[number] if number < len(items) else number

    def close(self) -> None:
        if self._open and self._id:
            self._world.log(f"{self._id}-")


def _map(world: World, form: Form) -> st.Step[Any]:
    of, id = form.get("of"), id_of(form)
    if "from" in form:
        source: Any = world.found(world.channels, form["from"])
    elif isinstance(of, dict):
        source = _Items(world, of) if "source" in of else of.get("map")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    else:
        source = list(of) if isinstance(of, str) else of
        source = source if isinstance(source, list) else None  # pyright: ignore[reportUnknownVariableType]
    code = (
        value_of(world, form["body"])
        if "body" in form
        else bodies.body(world, id, form.get("do", []), form.get("at"))
    )
    given: dict[str, Any] = {}
    if "sink" in form:

        def sink(result: Any, number: int) -> None:
            if id:
                world.log(f"{id}> {as_json(result)} {number}")
            actions.perform(world, Context(id=id), form["sink"])

        given["sink"] = sink
    limit: Any = number_in(form["limit"])
    limit = int(limit) if limit == limit and abs(limit) < 1e15 and limit == int(limit) else 0
    return st.map(source, code, limit=limit, ordered=form.get("ordered", True), **given)
