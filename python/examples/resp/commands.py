"""What clients may ask."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import reply
from steptree import IAsyncSteps

if TYPE_CHECKING:
    from connection import Connection

Args = list[bytes]
Body = Callable[[IAsyncSteps, "Connection", Args], None]
_INTEGER = re.compile(rb"0|-?[1-9][0-9]{0,18}")
_LONGEST_MS = 2**52  # as in the other servers
_SOON, _SHOWN = 1, 128  # seconds until a plug-in's command counts as waiting; bytes of what is unknown


def run(asi: IAsyncSteps, client: Connection, args: Args) -> None:
    """A command as steps of `asi`, whose result is the reply; its error codes are the first words of
    error replies."""
    if client.server.command_ms > 0:
        asi.set_timeout(client.server.command_ms)
    name = args[0].lower()
    known = _TABLE.get(name)
    if known is not None:
        body, least, most = known
        if not least <= len(args) - 1 <= most:
            _wrong_arity(asi, name)
        body(asi, client, args)
    else:
        _run_plugin(asi, client, name, args)


def _run_plugin(asi: IAsyncSteps, client: Connection, name: bytes, args: Args) -> None:
    plugins = client.server.plugins
    command = plugins.commands.get(name)
    if command is None:
        _unknown(asi, client, args)
        return
    if not command.least <= len(args) - 1 <= command.most:
        _wrong_arity(asi, name)
    soon = asyncio.get_running_loop().call_later(_SOON, client.waits)
    asi.defer(lambda _, outcome: soon.cancel())
    plugins.run(asi, command, args)


def _unknown(asi: IAsyncSteps, client: Connection, args: Args) -> None:
    shown = b""
    for arg in args[1:]:
        if len(shown) < _SHOWN:
            shown += b"'%b' " % arg[: _SHOWN - len(shown)]
    client.server.counters.errors += 1
    said = b"ERR unknown command '%b', with args beginning with: %b" % (args[0][:_SHOWN], shown)
    asi.success(reply.error(said))


def _wrong_arity(asi: IAsyncSteps, name: bytes) -> None:
    asi.error("ERR", f"wrong number of arguments for '{name.decode()}' command")


def _ping(asi: IAsyncSteps, _: Connection, args: Args) -> None:
    asi.success(reply.bulk(args[1]) if len(args) > 1 else reply.PONG)


def _echo(asi: IAsyncSteps, _: Connection, args: Args) -> None:
    asi.success(reply.bulk(args[1]))


def _get(asi: IAsyncSteps, client: Connection, args: Args) -> None:
    text = client.server.store.get(args[1])
    asi.success(reply.NULL if text is None else reply.bulk(text))


def _set(asi: IAsyncSteps, client: Connection, args: Args) -> None:
    """SET key value [NX | XX] [EX seconds | PX milliseconds]"""
    store, key = client.server.store, args[1]
    condition, ms = _set_options(asi, args)
    if condition and (condition == b"NX") != (store.get(key) is None):
        asi.success(reply.NULL)
        return
    store.put(key, args[2], ms)
    asi.success(reply.OK)


def _set_options(asi: IAsyncSteps, args: Args) -> tuple[bytes, int | None]:
    condition, unit, time = b"", b"", b""
    rest = iter(args[3:])
    for arg in rest:
        word = arg.upper()
        if word in (b"NX", b"XX") and condition in (b"", word):
            condition = word
        elif word in (b"EX", b"PX") and not unit:
            unit, time = word, next(rest, None)
            if time is None:
                asi.error("ERR", "syntax error")
        else:
            asi.error("ERR", "syntax error")
    return condition, _expiry(asi, time, 1000 if unit == b"EX" else 1) if unit else None


def _expiry(asi: IAsyncSteps, text: bytes, unit: int) -> int:
    value = int(text) if _INTEGER.fullmatch(text) else 2**63
    if not -(2**63) <= value < 2**63:
        asi.error("ERR", "value is not an integer or out of range")
    if not 0 < value * unit <= _LONGEST_MS:
        asi.error("ERR", "invalid expire time in 'set' command")
    return value * unit


def _quit(asi: IAsyncSteps, client: Connection, _: Args) -> None:
    client.leaving = True
    asi.success(reply.OK)


def _command(asi: IAsyncSteps, _: Connection, __: Args) -> None:
    """Clients ask at their start what there is."""
    asi.success(reply.array([]))


def _config(asi: IAsyncSteps, _: Connection, args: Args) -> None:
    """So does redis-benchmark."""
    asi.success(reply.array([reply.bulk(args[-1]), reply.bulk(b"")]))


def _stats(asi: IAsyncSteps, client: Connection, _: Args) -> None:
    asi.success(reply.bulk(client.server.statistics()))


def _plugin(asi: IAsyncSteps, client: Connection, args: Args) -> None:
    """PLUGIN LIST | RELOAD file: one of --plugin, and no other, so that no client brings code"""
    plugins = client.server.plugins
    subcommand = args[1].lower()
    if subcommand not in (b"list", b"reload"):
        shown = args[1][:_SHOWN].decode(errors="replace")
        asi.error("ERR", f"unknown subcommand '{shown}'. Try PLUGIN HELP.")
    if len(args) != (3 if subcommand == b"reload" else 2):
        _wrong_arity(asi, b"plugin|" + subcommand)
    if subcommand == b"list":
        rows = [(of.name, of.version, os.fsencode(of.file)) for of in plugins.files.values()]
        asi.success(reply.array([reply.array([reply.bulk(cell) for cell in row]) for row in rows]))
        return
    file = os.fsdecode(args[2])
    if file not in plugins.files:
        shown = args[2][:_SHOWN].decode(errors="replace")
        asi.error("ERR", f"'{shown}' is no file of --plugin")
    now = plugins.load(file)
    asi.success(reply.bulk(f"{now.name} {now.version}"))


# With how many arguments, at least and at most.
_TABLE: dict[bytes, tuple[Body, int, float]] = {
    b"command": (_command, 0, float("inf")),
    b"config": (_config, 2, float("inf")),
    b"echo": (_echo, 1, 1),
    b"get": (_get, 1, 1),
    b"ping": (_ping, 0, 1),
    b"plugin": (_plugin, 1, float("inf")),
    b"quit": (_quit, 0, float("inf")),
    b"set": (_set, 2, float("inf")),
    b"steptree.stats": (_stats, 0, 0),
}
