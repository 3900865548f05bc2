"""All that one case has: its tool, flows, promises and kept things by name, and the trace."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import steptree as st

LONGEST_TRACE = 10_000
T = TypeVar("T")
Case = dict[str, Any]


def number_in(given: Any) -> float:
    return float(given) if isinstance(given, str) else given


def as_json(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def count_text(number: float) -> str:
    return "Infinity" if number == float("inf") else str(int(number))


def values_text(values: list[Any]) -> str:
    return "".join(f" {as_json(value)}" for value in values)


def outcome_text(outcome: st.Outcome) -> str:
    if outcome.kind == "ok":
        return "ok" + values_text(outcome.values)
    if outcome.kind == "error":
        return f"error {outcome.code}"
    return f"cancelled {outcome.reason}" if outcome.reason else "cancelled"


class Fault(Exception):
    """The case can't be run."""


@dataclass
class Context:
    """An accessor that is kept, or that of the code that runs."""

    asi: st.IAsyncSteps | None = None
    id: str = ""
    outside: bool = False
    prolonged: bool = False
    outcome: str = "-"

    def kept(self, outside: bool) -> Context:
        return replace(self, outside=outside)


class Promise(st.Operation):
    """Is settled by name; any number of steps may wait for it."""

    def __init__(self, world: World, name: str):
        self.takes_time = name in world.case.get("operations", [])
        self._tells = self.takes_time or name in world.case.get("cancellable", [])
        self._world = world
        self._name = name
        self._settled: Callable[[st.Awaiter], object] | None = None
        self._awaiters: list[st.Awaiter] = []
        self._steps = 0

    def settle(self, tell: Callable[[st.Awaiter], object]) -> None:
        if self._settled is not None:
            return
        self._settled = tell
        awaiters, self._awaiters = self._awaiters, []
        for awaiter in awaiters:
            tell(awaiter)

    def subscribe(self, awaiter: st.Awaiter) -> None:
        self._steps += 1
        if self._settled is not None:
            self._settled(awaiter)
        else:
            self._awaiters.append(awaiter)

    def cancel(self) -> bool:
        self._steps -= 1
        if self._steps:
            return False
        if self._tells:
            self._world.log(f"{self._name} cancelled")
        return self.takes_time


class World:
    def __init__(self, case: Case):
        self.case = case
        self.tool = st.VirtualTool(case.get("seed", 0), case.get("order", 0))
        self.trace: list[str] = []
        self.over = False
        self.running: st.IAsyncSteps | None = None
        self.ending = st.Signal()
        self.ended_here: set[int] = set()
        self.looks = "snapshot" in json.dumps(case)
        self.watching: st.Handle | None = None
        self.stalls: st.Handle | None = None
        self.flows: dict[str, st.AsyncSteps] = {}
        self.completions: dict[str, st.Completion] = {}
        self.handles: dict[str, st.Handle] = {}
        self.contexts: dict[str, Context] = {}
        self.guards: dict[str, Any] = {}
        self.channels: dict[str, st.Channel[Any]] = {}
        self.budgets: dict[str, st.RetryBudget] = {}
        self.promises: dict[str, Promise] = {}
        self.signals: dict[str, st.Signal] = {}
        self.listeners: list[st.Handle] = []
        self.scopes: dict[str, st.Scope] = {}
        self.locals: dict[str, st.Local[Any]] = {}
        self.recorders: dict[str, st.FlightRecorder] = {}
        self._time = 0

    # ---- the trace ----

    def ended(self) -> bool:
        return self.over or len(self.trace) > LONGEST_TRACE

    def _add(self, line: str) -> None:
        if self.ended():
            return
        if len(self.trace) < LONGEST_TRACE:
            self.trace.append(line)
            return
        self.trace.append("truncated")
        self.stop()

    def log(self, line: str) -> None:
        if self.ended():
            return
        now = self.tool.now()
        if now != self._time:
            self._time = now
            self._add(f"@{now}")
        self._add(line)

    def stop(self) -> None:
        self.over = True
        for flow in self.flows.values():
            flow.cancel()
        for scope in self.scopes.values():
            scope.on_close(lambda _: None)
        self.ending.abort()

    # ---- things by name ----

    def found(self, among: dict[str, T], name: str) -> T:
        if name not in among:
            raise Fault(f"nothing is called {name}")
        return among[name]

    def options(self, name: str, given: Case) -> dict[str, Any]:
        made: dict[str, Any] = {
            "name": name,
            "unhandled": lambda error: self.log(f"{name} unhandled {error.code}"),  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType]
            "report": lambda error: self.log(f"{name} report {error.code}"),  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType]
        }
        for key in ("burst", "grace"):
            if key in given:
                made[key] = number_in(given[key]) if key == "grace" else given[key]
        return made

    def promise(self, name: str) -> Promise:
        if name not in self.promises:
            self.promises[name] = Promise(self, name)
        return self.promises[name]

    def signal(self, name: str) -> st.Signal:
        if name not in self.signals:
            self.signals[name] = st.Signal()
        return self.signals[name]

    def scope(self, name: str) -> st.Scope:
        if name not in self.scopes:
            self.scopes[name] = st.Scope(self.tool)
        return self.scopes[name]
