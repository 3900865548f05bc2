"""A small server of the Redis protocol on the loopback interface, for plug-ins:

    cd python/examples && python resp --port 6380 --plugin tokens.so --plugin wait.so

Says `listening on 127.0.0.1:PORT`, serves until SIGTERM, SIGINT or (asked to) the end of its
standard input, then prints its counters as one line of JSON.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import dataclass, field

from server import Server
from steptree import StepError

HELP = """A small server of the Redis protocol on 127.0.0.1. With the defaults:

  --port 0                where it listens; 0: a free port, which it prints
  --until-stdin-ends      ends with its standard input, not only by SIGTERM and SIGINT
  --plugin FILE           a plug-in whose handlers are commands; may be given again
  --commandMs 5000        one command, from its start to its reply; 0: no limit
"""


@dataclass
class Options:
    port: int = 0
    until_stdin_ends: bool = False
    plugins: list[str] = field(default_factory=list[str])
    command_ms: int = 5000


def read_options(args: list[str]) -> Options | str:
    """A text says what is wrong."""
    options = Options()
    rest = iter(args)
    for name in rest:
        if name == "--until-stdin-ends":
            options.until_stdin_ends = True
            continue
        text = next(rest, "")
        if name == "--plugin" and text:
            options.plugins.append(text)
        elif name == "--plugin":
            return "--plugin needs a file"
        elif not (text.isascii() and text.isdigit() and len(text) < 10):
            return f"{name} needs a number"
        elif name == "--port":
            options.port = int(text)
        elif name == "--commandMs":
            options.command_ms = int(text)
        else:
            return f"unknown option {name}"
    return options


async def serve(options: Options) -> int:
    server = Server(options.command_ms)
    try:
        for file in options.plugins:
            server.plugins.load(file)
    except StepError as error:
        print(f"--plugin {error.info}", file=sys.stderr)
        return 1
    try:
        port = await server.listen(options.port)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"listening on 127.0.0.1:{port}", flush=True)
    loop, stopping = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    if options.until_stdin_ends:
        stdin = sys.stdin.fileno()
        loop.add_reader(stdin, lambda: os.read(stdin, 256) or stopping.set())
    await stopping.wait()
    if options.until_stdin_ends:
        loop.remove_reader(sys.stdin.fileno())
    await server.stop()
    print(server.statistics(), flush=True)
    return 0


def main(args: list[str]) -> int:
    if "--help" in args:
        print(HELP, end="")
        return 0
    options = read_options(args)
    if isinstance(options, str):
        print(options, file=sys.stderr)
        return 2
    return asyncio.run(serve(options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
