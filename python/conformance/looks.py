"""Snapshots, events and recordings as lines of the trace."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import steptree as st
from world import as_json

if TYPE_CHECKING:
    from world import Context, World

Seen = dict[str, Any]


def _titled(kind: str, name: str | None) -> str:
    return f"{kind} {as_json(name)}" if name else kind


def _wait(wait: Seen) -> str:
    what: str = wait.get("for", "")
    if what == "timer":
        return f"timer {as_json(wait['ms']) if 'ms' in wait else 'Infinity'}"
    line = f"{what} {wait['kind']}" if wait.get("kind") else what
    line = _titled(line, wait.get("name"))
    if "place" in wait and what not in ("send", "receive"):
        line += f" {as_json(wait['place'])}"
    return line


def _field(name: str, of: Seen) -> str:
    return f" {name}={as_json(of[name])}" if name in of else ""


def _log_line(world: World, line: Seen, name: str, above: list[str]) -> None:
    steps: list[Seen] = line.get("steps", [])
    path = above + [step["element"] for step in steps if step.get("element")]
    if "waits" in line:
        told = [name, "/".join(path)]
        if steps:
            told.append(steps[-1].get("kind", "") + _field("timeout", steps[-1]))
        world.log(f"{' '.join(part for part in told if part)}: {_wait(line['waits'])}")
    for inside in line.get("lines", []):
        _log_line(world, inside, name, path)


def _log_flow(world: World, flow: Seen) -> None:
    name = flow.get("name", "")
    listens = flow.get("signal") and flow["id"] not in world.ended_here
    signal = " signal" if listens else ""
    world.log(f"{name} {flow['state']}{signal}{_field('deadline', flow)}")
    if "line" in flow:
        _log_line(world, flow["line"], name, [])


def _log_guard(world: World, guard: Seen, flows: list[Seen]) -> None:
    names = {flow["id"]: flow.get("name", "") for flow in flows}
    line = _titled(guard["kind"], guard.get("name"))
    line += "".join(_field(key, guard) for key in ("waiting", "active", "available"))
    holders = [
        " ".join(part for part in (names.get(of["flow"], ""), of.get("path", "")) if part)
        for of in guard.get("holders", [])
    ]
    world.log(line + (f" held={','.join(holders)}" if holders else ""))


def look(world: World, _: Context, action: Any) -> None:
    of = action["snapshot"]
    if isinstance(of, str):
        _log_flow(world, world.found(world.flows, of).snapshot())
        return
    seen = world.tool.snapshot()
    for flow in seen["flows"]:
        _log_flow(world, flow)
    for guard in seen.get("guards", []):
        _log_guard(world, guard, seen["flows"])


def note_ending(world: World) -> None:
    """The flow that was started last has a signal by which the case ends it, and no other one."""
    flows: list[Seen] = world.tool.snapshot()["flows"] if world.looks else []
    if flows:
        world.ended_here.add(flows[-1]["id"])


# ---- events ----


def _event(event: st.Event) -> str:
    parts = [event.flow_name, event.path, event.what]
    if event.what == "opened":
        parts.append(event.kind)
    elif event.what == "handler":
        parts.append(event.code)
    elif event.waits is not None:
        parts.append(_wait(event.waits))
    else:
        parts += [event.outcome, event.code]
    return " ".join(part for part in parts if part)


def observe(world: World, _: Context, action: Any) -> None:
    how = action["observe"]
    if world.watching is not None:
        world.watching.cancel()
    world.watching = None
    if how is False:
        return
    seen = 0

    def note(event: st.Event) -> None:
        nonlocal seen
        world.log(_event(event))
        seen += 1
        if seen == action.get("cancelAt") and event.flow_name in world.flows:
            world.flows[event.flow_name].cancel()

    world.watching = st.observe(world.tool, note, bodies=how == "bodies")


# ---- recordings ----


def make_recorder(world: World, _: Context, action: Any) -> None:
    world.recorders[action["makeRecorder"]] = st.FlightRecorder(
        world.tool, action.get("events", 4096), bodies=action.get("bodies", False)
    )


_FLOW = re.compile(r'^(\S+ )flow \d+(?: ("(?:[^"\\]|\\.)*"))?')


def log_recording(world: World, _: Context, action: Any) -> None:
    name = action["recording"]
    text = world.found(world.recorders, name).text()
    if not text:
        world.log(f"{name}: -")
    for line in text.splitlines():
        told = _FLOW.sub(lambda of: of[1] + (json.loads(of[2]) if of[2] else "-"), line)
        world.log(f"{name}: {told}")


def cancel_recorder(world: World, _: Context, action: Any) -> None:
    world.found(world.recorders, action["cancelRecorder"]).cancel()


# ---- stalls ----


def watch_stalls(world: World, _: Context, action: Any) -> None:
    wait = action["watchStalls"]
    if world.stalls is not None:
        world.stalls.cancel()
    world.stalls = None
    if wait is not False:
        world.stalls = st.watch_stalls(world.tool, wait=wait)
