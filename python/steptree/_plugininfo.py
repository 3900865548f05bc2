"""What hosts say of plug-ins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class PluginHandler:
    """What a plug-in can do: takes `least` to `most` values."""

    name: str
    description: str
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """A plug-in that is loaded, and what still is of it."""

    name: str
    version: str
    path: str
    generation: int
    """Counts what the host has loaded, from 1 on."""
    phase: Literal["serves", "leaves", "stopped"]
    """Takes calls; takes none, and steps of it are still open; what is left keeps it loaded."""
    handlers: tuple[PluginHandler, ...]
    steps: int
    """Calls that are open."""
    functions: int
    """Bodies, handlers and callbacks that it has given."""
    values: int
    """Opaque values of its kinds."""
    completions: int
    """That it keeps."""


def info_of(read: dict[str, Any]) -> PluginInfo:
    handlers = tuple(PluginHandler(**handler) for handler in read.pop("handlers"))
    return PluginInfo(handlers=handlers, **read)
