import { setTimeout as delay } from 'node:timers/promises';
import { residentMb } from '../memory.js';
import { nothingLeft, ServerProcess, type Statistics } from '../serverprocess.js';
import type { ServerCommand } from '../servers.js';
import { kinds, type Kind } from './kinds.js';
import { growth } from './trend.js';
import { limits, World } from './world.js';

/** How a server is doing in the middle of its load. */
export interface Look {
  seconds: number;
  statistics: Statistics;
  rejected: number;
  residentMb: number;
  /** After a collection; NaN of a server that doesn't tell. */
  heapMb: number;
  wrong: number;
}

export interface Options {
  seconds: number;
  seed: number;
  /** Of memory over the last half, in MB. */
  growth: { resident: number; heap: number };
  /** Called `looks` times. */
  looks: number;
  show: (look: Look) => void;
}

const hangMs = 60_000;

/** Keeps a server under mixed load for that time. What is wrong, in words; empty: nothing. */
export async function soak(command: ServerCommand, options: Options): Promise<string[]> {
  const args = Object.entries(limits).flatMap(([name, limit]) => [`--${name}`, String(limit)]);
  const server = await ServerProcess.start(command, args);
  try {
    return await load(server, command, options);
  } finally {
    server.kill();
  }
}

async function load(
  server: ServerProcess,
  command: ServerCommand,
  options: Options,
): Promise<string[]> {
  const world = new World(server.port, chanceOf(options.seed));
  const { wrong } = world;
  let over = false;
  const keep = async (kind: Kind, slot: number) => {
    while (!over)
      await inTime(kind(world, slot)).catch((error) => wrong.push(`${kind.name}: ${error}`));
  };
  const clients = kinds.flatMap(([count, kind]) =>
    Array.from({ length: count }, (_, slot) => keep(kind, slot)),
  );
  const looks: Look[] = [];
  const start = performance.now();
  for (let i = 1; i <= options.looks; i += 1) {
    await delay(start + (i * options.seconds * 1000) / options.looks - performance.now());
    looks.push(await look(server, command, world, (performance.now() - start) / 1000));
    options.show(looks.at(-1)!);
  }
  over = true;
  await Promise.all(clients);
  await left(world);
  const last = await server.stop();
  for (const [name, count] of Object.entries(nothingLeft)) {
    world.expect(
      last[name as keyof Statistics] === count,
      `at the end: ${name} ${last[name as keyof Statistics]}`,
    );
  }
  return [...wrong, ...grown(looks, options)];
}

async function look(
  server: ServerProcess,
  command: ServerCommand,
  world: World,
  seconds: number,
): Promise<Look> {
  const heapMb = command.tellsHeap ? await server.heapMb() : NaN;
  const statistics = await ask(world);
  const { rejected, wrong } = world;
  return {
    seconds,
    statistics,
    rejected,
    residentMb: residentMb(server.pid),
    heapMb,
    wrong: wrong.length,
  };
}

/** The counters, without those who ask for them: that's a connection, and its deadline. */
async function ask(world: World): Promise<Statistics> {
  const client = await world.join();
  try {
    client.command('STEPTREE.STATS');
    const told = JSON.parse(await client.takeBulk()) as Statistics;
    const { connections, flowsAlive, timers } = told;
    return {
      ...told,
      connections: connections - 1,
      flowsAlive: flowsAlive - 1,
      timers: timers - 1,
    };
  } finally {
    client.kill();
  }
}

/** While the server goes on, nothing may be left of those who have gone. */
async function left(world: World): Promise<void> {
  let seen: Statistics;
  for (let tries = 0; tries < 100; tries += 1) {
    seen = await ask(world);
    const { connections, flowsAlive, waiters, timers } = seen;
    if (connections + flowsAlive + waiters + timers === 0) return;
    await delay(100);
  }
  world.expect(false, `10 s after the last client: ${JSON.stringify(seen!)}`);
}

function grown(looks: readonly Look[], options: Options): string[] {
  const resident = growth(looks.map(({ residentMb }) => residentMb));
  const heap = growth(looks.map(({ heapMb }) => heapMb));
  const wrong = [];
  if (resident > options.growth.resident)
    wrong.push(`resident memory grows: ${resident.toFixed(1)} MB`);
  if (heap > options.growth.heap) wrong.push(`the heap grows: ${heap.toFixed(1)} MB`);
  return wrong;
}

async function inTime(run: Promise<void>): Promise<void> {
  const watch = new AbortController();
  const late = delay(hangMs, undefined, { signal: watch.signal }).then(() =>
    Promise.reject(new Error('hangs')),
  );
  try {
    await Promise.race([run, late]);
  } finally {
    watch.abort();
    late.catch(() => {});
  }
}

function chanceOf(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor(((state >> 8) / 2 ** 23) * n);
  };
}
