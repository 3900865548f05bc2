"""Plug-ins in C, C++ and Rust, whose handlers are steps, and services that they call."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ._abi import (
    DROP,
    HOST,
    data_of,
    drop_late,
    ffi,
    keep,
    label,
    lend,
    lib,
    owned,
    pointer,
    things,
)
from ._closure import Code, closure
from ._definition import Part, Step, made
from ._error import StepError, check
from ._plugininfo import PluginInfo, info_of
from ._tool import Tool, default_tool
from ._unload import Unload
from ._values import taken

if TYPE_CHECKING:
    from ._accessor import IAsyncSteps


Plugins: TypeAlias = list[PluginInfo]


class PluginHost:
    """Loads plug-ins, shared objects that see `steptree/steptree.h` alone, and runs what they can as
    steps. One that is loaded again, by its name, replaces the old one: calls that begin from now on
    take the new one, those that have begun end with the old one. Any thread, but for `close`; on
    Linux. What it offers lives until it's withdrawn, or the host is closed: `with PluginHost() as
    plugins:`. One that isn't closed is a ResourceWarning when it's collected, and closed soon after.
    Guide: docs/python.md#plug-ins

        plugins = PluginHost()
        plugins.load("./greeter.so")
        hello = await run(plugins.step("greeter", "greet").with_("Ada"))
    """

    def __init__(self, tool: Tool | None = None, *, directory: str | os.PathLike[str] = ""):
        """`directory`: for copies of files, so that new ones may be written over them."""
        drop_late()
        self.tool = tool or default_tool()
        self._offered: dict[str, tuple[int, Code]] = {}
        given = ffi.new("steptree_plugin_host_options*")
        given.size = ffi.sizeof("steptree_plugin_host_options")
        text = _path("PluginHost: directory", directory)
        given.directory = text
        into = ffi.new("steptree_plugin_host**")
        check(lib.host_make(self.tool.native, given, into))
        self._owned = owned(self, into[0], lib.host_drop, HOST, self.tool.owned)

    def __del__(self, warn: Callable[..., None] = warnings.warn) -> None:
        at = getattr(self, "_owned", None)
        if at is not None and not at.dropped:
            warn("a PluginHost that isn't closed", ResourceWarning, source=self)
            self._keep_offered()

    def _at(self) -> Any:
        if self._owned.dropped:
            raise StepError("InternalError", "the host of the plug-ins is closed")
        return self._owned.at

    def load(self, path: str | os.PathLike[str]) -> PluginInfo:
        """Loads a plug-in, and starts it in the call. What is none, is built for another interface
        or doesn't want to: `PluginRefused`, with path and reason; nothing has changed then."""
        into = ffi.new("steptree_value*")
        check(lib.host_load(self._at(), _path("load: path", path), into))
        return info_of(taken(into))

    def step(self, plugin: str, handler: str) -> Step[Any]:
        """A handler as a step value, which gets the values before it, or those of `with_`. It's
        looked up when it runs: `NoPlugin`, `NoHandler`."""
        names = _name("step: plugin", plugin), _name("step: handler", handler)
        return made(f"{plugin}.{handler}", (self,), lib.host_step, self._at(), *names)

    def unload(self, plugin: str) -> Unload:
        """From now on it takes no calls. To be awaited, or not: nothing of that name is loaded any
        more; `Canceled` if the host is closed before."""
        name = _name("unload: plugin", plugin)
        told = Unload()
        done = ffi.new("steptree_done*")
        done.call, done.data, done.drop = _DONE, data_of(keep(told)), DROP
        check(lib.host_unload(self._at(), name, done))
        return told

    def list(self) -> Plugins:
        """All that is loaded, the oldest first, also what is to be unloaded."""
        into = ffi.new("steptree_value*")
        check(lib.host_list(self._at(), into))
        return [info_of(read) for read in taken(into)]

    def offer(self, name: str, service: Part) -> None:
        """Plug-ins may call the step value, function or coroutine function by that name. It gets
        their values, and is a step of their flow, with its deadlines and cancels. In the place of
        what was offered by that name, for calls that begin from now on.

            plugins.offer("users.find", lambda asi, id: users[id])
        """
        known, lent = _name("offer: name", name), dict[int, Code]()

        def number_of(code: Code) -> int:
            number = lend(code)
            lent[number] = code
            return number

        value = made(name, (), lib.define_step, _kept(service, number_of))
        at = self._at()
        self._keep_offered(name)
        check(lib.host_offer(at, known, value.native))
        self._offered[name] = lent.popitem()

    def withdraw(self, name: str) -> None:
        """From now on no call of that service begins: `NoService`."""
        at, known = self._at(), _name("withdraw: name", name)
        self._keep_offered(name)
        check(lib.host_withdraw(at, known))

    def _keep_offered(self, *names: str) -> None:
        """While it's offered the host has the code of a service, so that the garbage collector sees
        what that knows, such as the host. From now on the runtime: until its last call has ended."""
        for name in names or list(self._offered):
            number, code = self._offered.pop(name, (0, None))
            if code is not None:
                things[number] = code

    def close(self) -> None:
        """Unloads what nothing is left of, and offers nothing any more. The rest stays in the
        process: end its flows before. On the tool's thread; also when its loop is closed."""
        if not self.tool.owned.dropped:
            self.tool.check_thread()
        self._keep_offered()
        self._owned.drop()

    def __enter__(self) -> PluginHost:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._owned.dropped:
            self.close()


def _name(what: str, given: str) -> Any:
    if not isinstance(given, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"{what}: expected a str, got {given!r}")
    return label(given)


def _path(what: str, given: str | os.PathLike[str]) -> Any:
    path = os.fspath(given) if isinstance(given, os.PathLike) else given
    if not isinstance(path, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"{what}: expected a str or a path of str, got {given!r}")
    return label(path)


class _Holds:
    """A handler that handles nothing, and keeps a step value as long as its definition is used."""

    __slots__ = ("_value",)

    def __init__(self, value: object):
        self._value = value

    def __call__(self, asi: IAsyncSteps, code: str) -> None:
        return None


def _kept(service: Part, number_of: Callable[[Code], int]) -> Any:
    """A closure: of what is called by nobody in Python."""
    if isinstance(service, Step):
        value = cast("Step[Any]", service)
        return closure(None, _Holds(value), value=value.native, number_of=number_of)
    if not callable(service):
        raise StepError("InternalError", f"offer: expected a step or a function, got {service!r}")
    return closure(service, number_of=number_of)


_DONE = pointer("c_done")
