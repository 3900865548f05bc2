"""Runs one case."""

from __future__ import annotations

import json
from typing import Any

import actions
import forms
import guards
import steptree as st
from world import Case, Fault, World, number_in

UNFIT = {
    '"returnValue": null': "in Python a body that returns None returns no value",
    '"lease": true': "guards in Python have no leases",
    '"throwValue"': "in Python nothing can be raised that is no exception",
}


def unfit(case: Case) -> str | None:
    text = json.dumps(case)
    return next((why for mark, why in UNFIT.items() if mark in text), None)


def _make(world: World) -> None:
    case = world.case
    for name, given in case.get("guards", {}).items():
        guards.make_guard(world, name, given)
    for name, given in case.get("channels", {}).items():
        guards.make_channel(world, name, given)
    for name, given in case.get("budgets", {}).items():
        capacity = number_in(given["capacity"])
        world.budgets[name] = st.RetryBudget(int(capacity), number_in(given["ratio"]))
    for name, level in case["flows"].items():
        options = world.options(name, case.get("options", {}).get(name, {}))
        world.flows[name] = st.AsyncSteps(world.tool, **options)
        forms.add_all(world, world.flows[name], level)
    for event in case.get("events", []):
        todo = event["do"]
        world.tool.deferred(
            number_in(event["at"]), lambda todo=todo: actions.external(world, todo)
        )


def run_case(case: Case) -> dict[str, Any]:
    why = unfit(case)
    if why is not None:
        return {"unfit": why}
    world = World(case)
    try:
        _make(world)
        actions.external(world, case.get("start", [{"execute": "main"}]))
        world.tool.run()
        for name, flow in world.flows.items():
            if flow.running():
                world.log(f"{name} waiting")
    except (Fault, st.StepError) as error:
        return {"error": str(error)}
    finally:
        made = {"trace": world.trace}
        if isinstance(case.get("order"), list):
            made["alternatives"] = world.tool.alternatives()  # pyright: ignore[reportArgumentType]
        world.over = True
        world.tool.close()
    return made
