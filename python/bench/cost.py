"""What a step costs beside a task of asyncio: CPU time, the best of five.

build/python/venv/bin/python python/bench/cost.py
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import steptree as st
from steptree import IAsyncSteps

COUNT = 20_000


def nothing(_: IAsyncSteps) -> None:
    pass


def number(_: IAsyncSteps, before: int = 0) -> int:
    return before + 1


def steps_of(body: Callable[..., object]) -> Callable[[], None]:
    def many(asi: IAsyncSteps) -> None:
        for _ in range(COUNT):
            asi.add(body)

    return lambda: st.VirtualTool().result(st.step(many))


async def task() -> None:
    pass


async def tasks() -> None:
    for _ in range(COUNT):
        await asyncio.create_task(task())


async def awaited(_: IAsyncSteps) -> None:
    pass


async def coroutines() -> None:
    def many(asi: IAsyncSteps) -> None:
        for _ in range(COUNT):
            asi.add(awaited)

    await st.run(st.step(many))


async def flows() -> None:
    value = st.step(nothing)
    for _ in range(COUNT):
        await st.run(value)


async def gathered() -> None:
    value = st.step(nothing)
    await asyncio.gather(*(st.run(value) for _ in range(COUNT)))


async def gathered_tasks() -> None:
    await asyncio.gather(*(task() for _ in range(COUNT)))


async def mapped() -> None:
    await st.run(st.map(range(COUNT), st.step(nothing), limit=100))


async def sections() -> None:
    guard = st.Mutex()
    for _ in range(COUNT):
        async with guard:
            pass


def measured(work: Callable[[], object]) -> float:
    taken: list[float] = []
    for _ in range(5):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken) / COUNT * 1e6


print(f"a step              {measured(steps_of(nothing)):.1f} us")
print(f"a step with a value {measured(steps_of(number)):.1f} us")
print(f"a task of asyncio   {measured(lambda: asyncio.run(tasks())):.1f} us")
print(f"a coroutine step    {measured(lambda: asyncio.run(coroutines())):.1f} us")
print(f"run of a flow       {measured(lambda: asyncio.run(flows())):.1f} us")
print(f"async with guard    {measured(lambda: asyncio.run(sections())):.1f} us")
print(f"gather of runs      {measured(lambda: asyncio.run(gathered())):.1f} us")
print(f"gather of tasks     {measured(lambda: asyncio.run(gathered_tasks())):.1f} us")
print(f"an item of a map    {measured(lambda: asyncio.run(mapped())):.1f} us")
