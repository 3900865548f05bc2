"""Actions: what bodies, handlers and events do."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Any

import bodies
import forms
import guards
import looks
import steptree as st
from world import (
    Context,
    Fault,
    World,
    as_json,
    count_text,
    number_in,
    outcome_text,
    values_text,
)

Action = Any
_MISSING = object()


class Foreign(OSError):
    """An exception that is none of the runtime's."""

    def __init__(self, message: str, code: str = ""):
        number = getattr(errno, code, 0)
        super().__init__(number, message) if number else super().__init__(message)
        self._message = message

    def __str__(self) -> str:
        return self._message


def foreign(action: Action) -> Foreign:
    made = Foreign(action["throw"], action.get("code", ""))
    if "cause" in action:
        made.__cause__ = foreign(action["cause"])
    return made


def perform(world: World, here: Context, todo: list[Action]) -> None:
    """Does them, as the code of that accessor."""
    before, world.running = world.running, here.asi
    try:
        _some(world, here, todo)
    finally:
        world.running = before


def _some(world: World, here: Context, todo: list[Action]) -> None:
    for action in todo:
        if world.ended():
            return
        _one(world, here, action)


def _one(world: World, here: Context, action: Action) -> None:
    if forms.is_form(action):
        forms.add(world, asi_of(here), action)
        return
    name = action if isinstance(action, str) else next(iter(action))
    given = {name: None} if isinstance(action, str) else action
    if name in ANYWHERE:
        ANYWHERE[name](world, here, given)
    elif name in OWN:
        OWN[name](world, here, given)
    else:
        raise Fault(f"no action: {name}")


def asi_of(here: Context) -> st.IAsyncSteps:
    if here.asi is None:
        raise Fault("no accessor")
    return here.asi


def external(world: World, todo: list[Action]) -> None:
    """Those from outside: what they raise is logged."""
    try:
        perform(world, Context(), todo)
    except st.LoopControl as control:
        world.log(f"threw {control.word}")
    except Fault:
        raise
    except Exception as error:
        world.log(f"threw {st.StepError.of(error).code}")


def word(value: object) -> str:
    return "true" if value else "false"


# ---- anywhere ----


def _log(world: World, _: Context, action: Action) -> None:
    world.log(action["log"])


def _throw(_: World, __: Context, action: Action) -> None:
    raise foreign(action)


def _try(world: World, here: Context, action: Action) -> None:
    try:
        _some(world, here, action["try"])
    except st.LoopControl as control:
        world.log(f"caught {control.word}")
    except Fault:
        raise
    except Exception as error:
        world.log(f"caught {st.StepError.of(error).code}")


def _done(world: World, _: Context, action: Action) -> None:
    name = action["done"]
    known = world.completions.get(name)
    if known is None:
        world.log(f"{name}=-")
        return
    if "valid" in action:
        result = known.valid()
    elif "error" in action:
        result = known.error(action["error"], action.get("info", ""))
    else:
        result = known.success(*action.get("success", []))
    world.log(f"{name}={word(result)}")


def _with(world: World, _: Context, action: Action) -> None:
    kept = world.found(world.contexts, action["with"])
    _some(world, kept.kept(kept.asi is not world.running), action["do"])


def _run_of(world: World, name: str) -> Callable[[st.Outcome], None]:
    return lambda outcome: world.log(f"{name} {outcome_text(outcome)}")


def _settled_of(world: World, name: str) -> Callable[[st.Outcome], None]:
    def settled(outcome: st.Outcome) -> None:
        if outcome.kind == "ok":
            world.log(f"{name} resolved{values_text(outcome.values[:1])}")
        else:
            world.log(f"{name} rejected {outcome.code}")

    return settled


def _signal_in(world: World, action: Action) -> st.Signal | None:
    return world.signal(action["signal"]) if "signal" in action else None


def _execute(world: World, _: Context, action: Action) -> None:
    name = action["execute"]
    done = None if action.get("done") is False else _run_of(world, name)
    world.found(world.flows, name).execute(done, _signal_in(world, action))


def _promise(world: World, _: Context, action: Action) -> None:
    name = action["promise"]
    flow = world.found(world.flows, name)
    flow.execute(_settled_of(world, name), _signal_in(world, action))


def _start(world: World, _: Context, action: Action) -> None:
    name, in_scope = action["start"], "scope" in action
    owns = not in_scope and "signal" not in action
    options: dict[str, Any] = {}
    if action.get("options", True):
        options = world.options(name, action)
    if action.get("asPromise"):
        options["done"] = _settled_of(world, name)
    elif action.get("done", True):
        options["done"] = _run_of(world, name)
    if "signal" in action:
        options["signal"] = world.signal(action["signal"])
    elif not in_scope:
        options["signal"] = world.ending
    value = forms.value_of(world, action["runs"])
    owner = world.scope(action["scope"]) if in_scope else world.tool
    owner.start(value, **options)
    if owns:
        looks.note_ending(world)


def _make_scope(world: World, _: Context, action: Action) -> None:
    name = action["makeScope"]
    world.scopes[name] = st.Scope(world.tool, **world.options(name, action))


def _count_of(world: World, what: str) -> Callable[[int], None]:
    return lambda count: world.log(f"{what} {count}")


def _close_scope(world: World, _: Context, action: Action) -> None:
    name = action["closeScope"]
    told = _count_of(world, f"{name} closed")
    world.scope(name).on_close(told, action.get("reason", ""))


def _drain_scope(world: World, _: Context, action: Action) -> None:
    name = action["drainScope"]
    told = _count_of(world, f"{name} drained")
    world.scope(name).on_drain(told, number_in(action["ms"]), action.get("reason", ""))


def _draining(world: World, _: Context, action: Action) -> None:
    name = action["draining"]
    scope = world.scope(name)
    world.log(f"{name} draining={word(scope.draining)} size={scope.size}")


def _abort(world: World, _: Context, action: Action) -> None:
    world.signal(action["abort"]).abort()


def _aborted(world: World, _: Context, action: Action) -> None:
    name = action["aborted"]
    world.log(f"{name} aborted={word(world.signal(name).aborted())}")


def _cancel(world: World, _: Context, action: Action) -> None:
    world.found(world.flows, action["cancel"]).cancel(action.get("reason", ""))


def _running(world: World, _: Context, action: Action) -> None:
    name = action["running"]
    world.log(f"{name} running={word(world.found(world.flows, name).running())}")


def _closed(world: World, _: Context, action: Action) -> None:
    name = action["closed"]
    world.found(world.flows, name).on_closed(lambda: world.log(f"{name} closed"))


def _add_to(world: World, _: Context, action: Action) -> None:
    forms.add_all(world, world.found(world.flows, action["addTo"]), action["steps"])


def _settle(world: World, _: Context, action: Action) -> None:
    promise = world.promise(action["settle"])
    if "error" in action:
        error = st.StepError(action["error"], action.get("info", ""))
        promise.settle(lambda awaiter: awaiter.fail(error))
    else:
        values: list[Any] = [action["value"]] if "value" in action else []
        promise.settle(lambda awaiter: awaiter.success(*values))


def _immediate(world: World, _: Context, action: Action) -> None:
    todo = action["immediate"]
    handle = world.tool.immediate(lambda: external(world, todo))
    if "as" in action:
        world.handles[action["as"]] = handle


def _deferred(world: World, _: Context, action: Action) -> None:
    todo = action.get("do", [])
    ms = number_in(action["deferred"])
    handle = world.tool.deferred(ms, lambda: external(world, todo))
    if "as" in action:
        world.handles[action["as"]] = handle


def _cancel_handle(world: World, _: Context, action: Action) -> None:
    name = action["cancelHandle"]
    if name in world.handles:
        world.handles[name].cancel()
    else:
        world.log(f"{name}=-")


def _valid_handle(world: World, _: Context, action: Action) -> None:
    name = action["validHandle"]
    known = world.handles.get(name)
    world.log(f"{name}={'-' if known is None else word(known.valid())}")


def _times(world: World, here: Context, action: Action) -> None:
    for _ in range(action["times"]):
        _some(world, here, action["do"])


def _make_guard(world: World, _: Context, action: Action) -> None:
    guards.make_guard(world, action["makeGuard"], action)


def _make_channel(world: World, _: Context, action: Action) -> None:
    guards.make_channel(world, action["makeChannel"], action)


def _try_send(world: World, _: Context, action: Action) -> None:
    name = action["trySend"]
    sent = world.found(world.channels, name).try_send(action.get("value"))
    world.log(f"{name} sent={word(sent)}")


def _try_receive(world: World, _: Context, action: Action) -> None:
    name = action["tryReceive"]
    received = world.found(world.channels, name).try_receive(_MISSING)
    world.log(f"{name} received={'-' if received is _MISSING else as_json(received)}")


def _close(world: World, _: Context, action: Action) -> None:
    world.found(world.channels, action["close"]).close()


def _channel_closed(world: World, _: Context, action: Action) -> None:
    name = action["channelClosed"]
    world.log(f"{name} closed={word(world.found(world.channels, name).closed)}")


def _read_channel(world: World, _: Context, action: Action) -> None:
    name = action["readChannel"]
    of = world.found(world.channels, name)
    room = count_text(of.available)
    world.log(f"{name} size={of.size} available={room} senders={of.senders} receivers={of.receivers}")


def _open_gate(world: World, _: Context, action: Action) -> None:
    world.found(world.guards, action["openGate"]).open()


def _close_gate(world: World, _: Context, action: Action) -> None:
    world.found(world.guards, action["closeGate"]).close()


def _read_guard(world: World, _: Context, action: Action) -> None:
    guards.log_guard(world, action)


def _run_tool(world: World, _: Context, __: Action) -> None:
    world.tool.run()


def _armed(world: World, _: Context, __: Action) -> None:
    world.log(f"timers={world.tool.armed_timers()}")


def _random(world: World, _: Context, __: Action) -> None:
    world.log(f"random={int(world.tool.random() * 2**32)}")


def _now(world: World, _: Context, __: Action) -> None:
    world.log(f"now={world.tool.now()}")


def _busy(world: World, _: Context, action: Action) -> None:
    world.tool.elapse(number_in(action["busy"]))


ANYWHERE: dict[str, Callable[[World, Context, Action], None]] = {
    "log": _log,
    "throw": _throw,
    "try": _try,
    "done": _done,
    "with": _with,
    "execute": _execute,
    "promise": _promise,
    "start": _start,
    "makeScope": _make_scope,
    "closeScope": _close_scope,
    "drainScope": _drain_scope,
    "draining": _draining,
    "abort": _abort,
    "aborted": _aborted,
    "cancel": _cancel,
    "running": _running,
    "closed": _closed,
    "addTo": _add_to,
    "settle": _settle,
    "immediate": _immediate,
    "deferred": _deferred,
    "cancelHandle": _cancel_handle,
    "validHandle": _valid_handle,
    "times": _times,
    "makeGuard": _make_guard,
    "makeChannel": _make_channel,
    "trySend": _try_send,
    "tryReceive": _try_receive,
    "close": _close,
    "channelClosed": _channel_closed,
    "readChannel": _read_channel,
    "openGate": _open_gate,
    "closeGate": _close_gate,
    "readGuard": _read_guard,
    "runTool": _run_tool,
    "snapshot": looks.look,
    "observe": looks.observe,
    "makeRecorder": looks.make_recorder,
    "recording": looks.log_recording,
    "cancelRecorder": looks.cancel_recorder,
    "watchStalls": looks.watch_stalls,
    "armedTimers": _armed,
    "random": _random,
    "now": _now,
    "busy": _busy,
}

# ---- on the accessor ----


def _success(_: World, here: Context, action: Action) -> None:
    values: list[Any] = action["success"] or []
    asi_of(here).success(*values)


def _error(_: World, here: Context, action: Action) -> None:
    asi_of(here).error(action["error"], action.get("info", ""))


def _error_no_throw(_: World, here: Context, action: Action) -> None:
    asi_of(here).error_no_throw(action["errorNoThrow"], action.get("info", ""))


def _break(_: World, here: Context, action: Action) -> None:
    asi_of(here).break_loop(action["break"] or "")


def _continue(_: World, here: Context, action: Action) -> None:
    asi_of(here).continue_loop(action["continue"] or "")


def _break_no_throw(_: World, here: Context, action: Action) -> None:
    asi_of(here).break_no_throw(action["breakNoThrow"] or "")


def _continue_no_throw(_: World, here: Context, action: Action) -> None:
    asi_of(here).continue_no_throw(action["continueNoThrow"] or "")


def _send(world: World, here: Context, action: Action) -> None:
    world.found(world.channels, action["send"]).send(asi_of(here), action.get("value"))


def _receive(world: World, here: Context, action: Action) -> None:
    world.found(world.channels, action["receive"]).receive(asi_of(here))


def _wait_at(world: World, here: Context, action: Action) -> None:
    world.found(world.guards, action["waitAt"]).wait(asi_of(here))


def _set_timeout(_: World, here: Context, action: Action) -> None:
    asi_of(here).set_timeout(number_in(action["setTimeout"]), action.get("code"))


def _set_cancel(world: World, here: Context, action: Action) -> None:
    id, todo = here.id, action["setCancel"]

    def cancelled(asi: st.IAsyncSteps) -> None:
        if id:
            world.log(f"{id}~")
        perform(world, Context(asi, id), todo)

    asi_of(here).set_cancel(cancelled)


def _defer(world: World, here: Context, action: Action) -> None:
    asi_of(here).defer(bodies.deferred(world, action["defer"], action.get("do", [])))


def _remaining(world: World, here: Context, _: Action) -> None:
    world.log(f"remaining={count_text(asi_of(here).remaining())}")


def _signal(world: World, here: Context, action: Action) -> None:
    name = action["signal"]
    signal = asi_of(here).signal
    if world.signals.get(name) == signal:
        return
    world.signals[name] = signal
    todo = action.get("do", [])

    def hear() -> None:
        world.log(f"{name} aborted")
        external(world, todo)

    world.listeners.append(signal.listen(hear))


def _wait(world: World, here: Context, action: Action) -> None:
    completion = asi_of(here).wait_external()
    if action["waitExternal"] is not None:
        world.completions[action["waitExternal"]] = completion


def _keep(world: World, here: Context, action: Action) -> None:
    world.contexts[action["keep"]] = here


def _nothing(_: World, __: Context, ___: Action) -> None:
    pass


def _new_instance(world: World, here: Context, action: Action) -> None:
    flow = asi_of(here).new_instance()
    world.flows[action["newInstance"]] = flow
    forms.add_all(world, flow, action["steps"])


def _show(world: World, here: Context, action: Action) -> None:
    asi = asi_of(here)
    world.log(" ".join(f"{view}={_view(asi, view)}" for view in action["show"]))


def _view(asi: st.IAsyncSteps, view: str) -> str:
    error = asi.last_error
    if error is None:
        return "[]" if view == "also" else "-"
    if view == "info":
        return as_json(error.info)
    if view == "path":
        return error.path
    if view == "code":
        thrown = asi.last_exception
        return "-" if thrown is None else st.StepError.of(thrown).code
    if view == "guard":
        return "-" if error.guard is None else as_json(error.guard)
    if view == "retry_after":
        return "-" if error.retry_after is None else str(error.retry_after)
    if view == "waits":
        return as_json(error.waits) if error.waits else "-"
    if view == "causes":
        return f"[{','.join(_causes(error))}]"
    if view == "cause":
        cause = error.__cause__
        return "-" if cause is None else st.StepError.of(cause).code
    return f"[{','.join(other.code for other in error.also)}]"


def _causes(error: st.StepError) -> list[str]:
    found: list[str] = []
    at: BaseException = error
    while at.__cause__ is not None:
        cause = at.__cause__
        code = st.StepError.of(cause).code
        if not isinstance(cause, st.StepError):
            if not found or code != st.StepError.of(at).code:
                found.append(code)
            break
        found.append(f"Omitted: {cause.info}" if code == "Omitted" else code)
        at = cause
    return found


def _state(world: World, here: Context, action: Action) -> None:
    key, state = action["state"], asi_of(here).state
    if "set" in action:
        state[key] = action["set"]
    else:
        world.log(f"{key}={as_json(state[key]) if key in state else '-'}")


def _local(world: World, here: Context, action: Action) -> None:
    name = action["local"]
    if name not in world.locals:
        world.locals[name] = st.Local(name)
    local = world.locals[name]
    if "set" in action:
        local.set(asi_of(here), action["set"])
        return
    found = local.get(asi_of(here), _MISSING)
    world.log(f"{name}={'-' if found is _MISSING else as_json(found)}")


def _outcome(world: World, here: Context, _: Action) -> None:
    world.log(f"outcome={here.outcome}")


def _valid(world: World, here: Context, _: Action) -> None:
    world.log(f"valid={word(asi_of(here).valid())}")


OWN: dict[str, Callable[[World, Context, Action], None]] = {
    "success": _success,
    "error": _error,
    "errorNoThrow": _error_no_throw,
    "break": _break,
    "continue": _continue,
    "breakNoThrow": _break_no_throw,
    "continueNoThrow": _continue_no_throw,
    "send": _send,
    "receive": _receive,
    "waitAt": _wait_at,
    "setTimeout": _set_timeout,
    "setCancel": _set_cancel,
    "defer": _defer,
    "outcome": _outcome,
    "remaining": _remaining,
    "waitExternal": _wait,
    "signal": _signal,
    "keep": _keep,
    "return": _nothing,
    "returnStep": _nothing,
    "returnValue": _nothing,
    "newInstance": _new_instance,
    "show": _show,
    "state": _state,
    "local": _local,
    "valid": _valid,
}
