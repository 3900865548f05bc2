"""Bodies and handlers: what they write when they start, then what they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import actions
import forms
import steptree as st
from world import Context, World, outcome_text, values_text

Actions = list[Any]



def _last(of: Actions) -> dict[str, Any]:
    last: Any = of[-1] if of else None
    return {} if isinstance(last, str | None) else last


def run(world: World, asi: st.IAsyncSteps, id: str, todo: Actions, outcome: str = "-") -> Any:
    """Does the actions; what the code returns."""
    last = _last(todo)
    here = Context(asi, id, prolonged="return" in last, outcome=outcome)
    actions.perform(world, here, todo)
    return result_of(world, last)


def result_of(world: World, last: dict[str, Any]) -> Any:
    if "returnValue" in last:
        return last["returnValue"]
    if "returnStep" in last:
        return forms.value_of(world, last["returnStep"])
    return world.promise(last["return"]) if "return" in last else None


def body(world: World, id: str, todo: Actions, at: dict[str, Actions] | None = None) -> Any:
    def called(asi: st.IAsyncSteps, *args: Any) -> Any:
        if id:
            world.log(id + values_text(list(args)))
        own = None if at is None else at.get(str(args[1]))
        if own is None:
            return run(world, asi, id, todo)
        actions.perform(world, Context(asi, id, prolonged="return" in _last(todo)), todo)
        actions.perform(world, Context(asi, id), own)
        return result_of(world, _last(todo))

    return called


def silent(world: World, id: str, todo: Actions) -> Callable[[st.IAsyncSteps], Any]:
    return lambda asi: run(world, asi, id, todo)


def handler(world: World, id: str, todo: Actions | None) -> Any:
    if todo is None:
        return None

    def called(asi: st.IAsyncSteps, code: str) -> Any:
        if id:
            world.log(f"{id}! {code}")
        return run(world, asi, id, todo)

    return called


def deferred(world: World, id: str, todo: Actions, mark: str = "") -> Any:
    def called(asi: st.IAsyncSteps, outcome: st.Outcome) -> Any:
        if id:
            world.log(id + mark)
        return run(world, asi, id, todo, outcome_text(outcome))

    return called
