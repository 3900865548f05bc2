"""What flows do: events, recordings, stalls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._abi import DROP, FLOW, NULL, data_of, ffi, keep, lib, owned, pointer, string
from ._error import check
from ._signal import Handle
from ._tool import Tool
from ._values import Ms, ms_of, read, taken

_TEXTS = ("what", "flow_name", "path", "element", "kind", "outcome", "code")
_NUMBERS = ("time", "sequence", "flow", "step", "parent")


class Event:
    """Something that a flow does; a text that is empty says nothing of that."""

    what: str
    flow_name: str
    path: str
    element: str
    kind: str
    outcome: str
    code: str
    time: int
    sequence: int
    flow: int
    step: int
    parent: int

    def __init__(self, of: Any):
        for name in _TEXTS:
            setattr(self, name, string(getattr(of, name)))
        for name in _NUMBERS:
            setattr(self, name, getattr(of, name))
        self.waits: dict[str, Any] | None = None if of.waits == NULL else read(of.waits)


def observe(tool: Tool, observer: Callable[[Event], object], *, bodies: bool = False) -> Handle:
    """Calls the observer with all that flows of the tool do, as long as the handle is kept."""
    into = ffi.new("steptree_handle**")
    number = keep(lambda event: observer(Event(event)))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    check(lib.observe_observe(tool.native, _EVENT, data_of(number), DROP, bodies, into))
    return Handle(into[0])


class FlightRecorder:
    """Has the last events of a tool."""

    def __init__(self, tool: Tool, events: int = 4096, *, bodies: bool = False):
        into = ffi.new("steptree_recorder**")
        check(lib.observe_make_recorder(tool.native, events, bodies, into))
        self._owned = owned(self, into[0], lib.observe_drop_recorder, FLOW, tool.owned)
        self._tool = tool

    def _read(self, call: Any) -> Any:
        self._tool.check_open()
        into = ffi.new("steptree_value*")
        check(call(self._owned.at, into))
        return taken(into)

    def text(self) -> str:
        """One line an event."""
        return self._read(lib.observe_text)

    def trace(self) -> str:
        """JSON of the Trace Event Format, which ui.perfetto.dev shows."""
        return self._read(lib.observe_trace)

    def events(self) -> list[dict[str, Any]]:
        """As spec/recording.schema.json has them, the oldest first."""
        return self._read(lib.observe_events)

    def cancel(self) -> None:
        """Nothing more is recorded."""
        if not self._owned.dropped:
            lib.observe_cancel_recorder(self._owned.at)


def watch_stalls(tool: Tool, *, body: Ms = 0, wait: Ms = 0) -> Handle:
    """Tells `report` of a flow which body has held the thread too long (`Stalled`), or which line
    waits too long (`StalledWait`), as long as the handle is kept."""
    given, into = ffi.new("steptree_stall_options*"), ffi.new("steptree_handle**")
    given.size = ffi.sizeof("steptree_stall_options")
    if body != 0:
        given.given |= lib.STEPTREE_GIVEN_BODY
        given.body = ms_of(body)
    if wait != 0:
        given.given |= lib.STEPTREE_GIVEN_WAIT
        given.wait = ms_of(wait)
    check(lib.observe_watch_stalls(tool.native, given, into))
    return Handle(into[0])


_EVENT = pointer("c_event")
