"""A service over HTTP: `GET /wait/300` is answered after 300 ms, as if somebody else had been asked."""

import asyncio
import os
import re
import signal

import steptree as st
from steptree import IAsyncSteps


@st.step
def answer(asi: IAsyncSteps, path: str) -> object:
    found = re.fullmatch(r"/wait/(\d{1,6})", path)
    if found is None:
        raise st.StepError("NotFound", path)
    ms = int(found[1])
    return st.steps(st.delay(ms), lambda asi: f"waited {ms} ms")


places = st.Limiter(int(os.environ.get("PLACES", "100")), max_queue=int(os.environ.get("QUEUE", "200")))
request = st.sync(places, answer).timeout(1000)  # the wait for a place is part of it

STATUSES = {
    "NotFound": 404,
    "DefenseRejected": 503,  # no place, and none in the queue
    "Closed": 503,  # it's about to stop
    "Canceled": 503,  # it has stopped, and this one was too slow
    "Timeout": 504,
}


async def respond(requests: st.Scope, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """As much HTTP as `curl` and a proxy need: one request a connection."""
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
    path = head.split(b" ", 2)[1].decode()
    client = st.Signal()
    watch = asyncio.ensure_future(reader.read(1))  # nothing more comes of one who waits, but the end
    watch.add_done_callback(lambda _: client.abort())
    try:
        status, text = 200, await requests.run(request.with_(path), signal=client)
    except st.StepError as error:
        status, text = STATUSES.get(error.code, 500), error.code
    print(f"{path}: {'the client has left' if watch.done() else text}", flush=True)
    watch.cancel()
    body = f"{text}\n"
    writer.write(f"HTTP/1.1 {status} -\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
    await writer.drain()


async def main() -> None:
    requests = st.Scope()
    connections: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(respond(requests, reader, writer))
        connections.add(task)
        try:
            await task
        except (OSError, EOFError, ValueError, IndexError, asyncio.LimitOverrunError, TimeoutError):
            pass  # who is gone, says nothing, or says what is no HTTP
        finally:
            connections.discard(task)
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", int(os.environ.get("PORT", "8080")))
    print(f"listening on {server.sockets[0].getsockname()[1]}", flush=True)

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()
    server.close()  # nobody else comes
    cancelled = await requests.drain(5000)
    if connections:
        await asyncio.wait(connections, timeout=1)  # their answers; who is idle is cancelled
    print(f"stopped, {cancelled} cancelled", flush=True)


asyncio.run(main())
