"""Guards and channels, as a case describes them."""

from __future__ import annotations

from typing import Any

import actions
import bodies
import steptree as st
from world import World, count_text, number_in

KINDS: dict[str, Any] = {
    "mutex": st.Mutex,
    "throttle": st.Throttle,
    "limiter": st.Limiter,
    "rwlock": st.RwLock,
    "gate": st.Gate,
    "barrier": st.Barrier,
    "breaker": st.Breaker,
}
_NAMES = {"maxQueue": "max_queue", "minCalls": "min_calls", "openFor": "open_for"}


def _options(given: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in given.items():
        if key == "on":
            made[key] = _failure(value)
        elif key in ("name", "algorithm", "abandoned", "open"):
            made[key] = value
        else:
            made[_NAMES.get(key, key)] = number_in(value)
    return made


def _failure(on: dict[str, Any]) -> Any:
    def failure(error: st.StepError) -> bool:
        answer = on.get(error.code, False)
        if answer == "throw":
            raise actions.Foreign("on")
        return answer is True

    return failure


def make_guard(world: World, name: str, given: dict[str, Any]) -> None:
    kind = next(key for key in given if key in KINDS or key in ("keyed", "custom"))
    of = given[kind]
    if kind == "keyed":
        inner = next(iter(of))

        def make(key: str) -> dict[str, Any]:
            world.log(f"{name} makes {key}")
            return _options(of[inner])

        world.guards[name] = st.Keyed(KINDS[inner], make)
    elif kind == "custom":
        lock = bodies.silent(world, name, of.get("lock", []))

        def locks(asi: st.IAsyncSteps) -> Any:
            world.log(f"{name}+")
            return lock(asi)

        world.guards[name] = st.CustomGuard(
            locks, bodies.deferred(world, name, of.get("unlock", []), "-")
        )
    else:
        options = _options(of)
        if kind == "throttle" and "max" not in options:
            options["max"] = 0
        if kind == "barrier":
            options["parties"] = whole(options.get("parties", 0))
        world.guards[name] = KINDS[kind](**options)


def whole(number: float) -> int:
    return int(number) if number == number and abs(number) < 1e15 and number == int(number) else 0


def make_channel(world: World, name: str, given: dict[str, Any]) -> None:
    capacity = number_in(given["capacity"]) if "capacity" in given else -1
    world.channels[name] = st.Channel(capacity, name=given.get("name", ""))


def guard_called(world: World, name: str) -> Any:
    if name in world.guards or "." not in name:
        return world.found(world.guards, name)
    lock, side = name.rsplit(".", 1)
    return getattr(world.found(world.guards, lock), side)


def guard_of(world: World, form: dict[str, Any]) -> Any:
    guard = guard_called(world, form["guard"])
    if "key" in form:
        return guard.of(form["key"])
    if "places" in form:
        return guard.places(whole(number_in(form["places"])))
    return guard


def log_guard(world: World, action: dict[str, Any]) -> None:
    name = action["readGuard"]
    guard = guard_called(world, name)
    line = name
    if isinstance(guard, st.Keyed):
        if "key" in action:
            line += f" {action['key']}{_told(guard.read(action['key']) or {})}"
        else:
            line += f" size={guard.size}"
    else:
        line += _told(guard.figures())
    world.log(line)


def _told(read: dict[str, Any]) -> str:
    return "".join(
        f" {name}={value if isinstance(value, str) else count_text(value)}"
        for name, value in read.items()
    )


