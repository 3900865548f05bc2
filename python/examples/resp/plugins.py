"""The plug-ins of the server. They see its keys, by services, and nothing else of it."""

from __future__ import annotations

from dataclasses import dataclass

import reply
from steptree import IAsyncSteps, PluginHost, PluginInfo, StepError, step
from store import Store

_OWN = "steptree"


@dataclass
class Command:
    """What a plug-in can do, as a command: the handler `take` of the plug-in `tokens` is
    TOKENS.TAKE."""

    plugin: str
    handler: str
    least: int
    most: int


@dataclass
class File:
    """A file of --plugin, and what has come of it."""

    file: str
    name: str
    version: str


class Plugins:
    def __init__(self, store: Store):
        self.files: dict[str, File] = {}
        self.commands: dict[bytes, Command] = {}
        self._host = PluginHost()

        def get(asi: IAsyncSteps, key: bytes) -> None:
            asi.success(store.get(key))

        def put(asi: IAsyncSteps, key: bytes, text: bytes) -> None:
            store.put(key, text)

        self._host.offer("keys.get", step(get))
        self._host.offer("keys.set", step(put))

    def load(self, file: str) -> File:
        """Loads a file, in the place of what came of it before: commands that begin from now on take
        the new one. PluginRefused: what has served goes on."""
        loaded: PluginInfo = self._host.load(file)
        if loaded.name.lower() == _OWN:
            self._host.unload(loaded.name)
            self._refuse(file, "commands that begin with 'steptree.' are the server's own")
        other = next((of for of in self.files.values() if of.name == loaded.name), None)
        if other is not None and other.file != file:
            self._give_back(other, file)
        own = self.files.get(file)
        if own is not None and own.name != loaded.name:
            self._host.unload(own.name)
        self.files[file] = File(file, loaded.name, loaded.version)
        self._list()
        return self.files[file]

    def close(self) -> None:
        """No command of them runs any more."""
        self._host.close()

    def run(self, asi: IAsyncSteps, command: Command, args: list[bytes]) -> None:
        """Adds the steps of a command, which leave the reply."""
        asi.add(self._host.step(command.plugin, command.handler).with_(*args[1:]))
        asi.add(lambda inner, *left: inner.success(reply.of_values(left)))

    def _give_back(self, other: File, file: str) -> None:
        """A file has taken the name of another one: that is loaded again, for it is still there."""
        try:
            other.version = self._host.load(other.file).version
        except StepError as error:
            self._host.unload(other.name)
            del self.files[other.file]
            self._list()
            self._refuse(file, f"'{other.name}' is the name of {error.info}, too")
        self._list()
        self._refuse(file, f"its name '{other.name}' is that of {other.file}, too")

    def _refuse(self, file: str, why: str) -> None:
        raise StepError("PluginRefused", f"{file}: {why}")

    def _list(self) -> None:
        self.commands.clear()
        for plugin in self._host.list():
            if plugin.phase != "serves":
                continue
            for handler in plugin.handlers:
                name = f"{plugin.name}.{handler.name}".lower().encode()
                made = Command(plugin.name, handler.name, handler.least, handler.most)
                self.commands.setdefault(name, made)
