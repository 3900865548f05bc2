import { setTimeout as delay } from 'node:timers/promises';
import { residentMb } from '../memory.js';
import { nothingLeft, ServerProcess, type Statistics } from '../serverprocess.js';
import type { ServerCommand } from '../servers.js';
import { kinds, type Kind } from './kinds.js';
import { growth } from './trend.js';
import { limitsFor, World } from './world.js';

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
  /** How long a process of ours may stand still without being taken for a client that does. */
  patienceMs: number;
  /** Of memory over the last half, in MB. */
  growth: { resident: number; heap: number };
  /** Called `looks` times. */
  looks: number;
  show: (look: Look) => void;
}

export interface Soaked {
  /** What is wrong, in words; empty: nothing. */
  wrong: string[];
  /** The longest wait for a first reply. */
  slowestMs: number;
}

/** Keeps a server under mixed load for that time. */
export async function soak(command: ServerCommand, options: Options): Promise<Soaked> {
  const limits = limitsFor(options.patienceMs);
  const args = Object.entries(limits).flatMap(([name, limit]) => [`--${name}`, String(limit)]);
  const server = await ServerProcess.start(command, args);
  const world = new World(server.port, limits, chanceOf(options.seed));
  try {
    const endLoad = beginLoad(world);
    const looks = await watch(server, world, options).finally(endLoad);
    await left(world);
    const last = await server.stop();
    expectNothing(world, last);
    expectAll(world, last);
    return soaked(world, ...grown(looks, options));
  } catch (error) {
    return soaked(world, String(error));
  } finally {
    server.kill();
  }
}

function soaked({ wrong, slowestMs }: World, ...more: string[]): Soaked {
  return { wrong: [...wrong, ...more], slowestMs };
}

/** Clients of all kinds, each followed by another one, until the function is called; it waits for the last. */
function beginLoad(world: World): () => Promise<unknown> {
  let over = false;
  const keep = async (kind: Kind, slot: number) => {
    while (!over) {
      try {
        await inTime(kind(world, slot), 4 * world.limits.connectionMs);
      } catch (error) {
        world.wrong.push(`${kind.name}: ${error}`);
        await delay(100);
      }
    }
  };
  const all = kinds.flatMap(([count, kind]) =>
    Array.from({ length: count }, (_, slot) => keep(kind, slot)),
  );
  return () => {
    over = true;
    return Promise.all(all);
  };
}

async function watch(server: ServerProcess, world: World, options: Options): Promise<Look[]> {
  const looks: Look[] = [];
  const start = performance.now();
  const now = () => (performance.now() - start) / 1000;
  for (let i = 1; i <= options.looks; i += 1) {
    await delay(1000 * ((i * options.seconds) / options.looks - now()));
    const heapMb = await server.heapMb();
    const statistics = await ask(world);
    const { rejected, wrong } = world;
    const memory = { residentMb: residentMb(server.pid), heapMb };
    const look = { seconds: now(), statistics, rejected, ...memory, wrong: wrong.length };
    options.show(look);
    looks.push(look);
  }
  return looks;
}

function expectNothing(world: World, last: Statistics): void {
  for (const [name, count] of Object.entries(nothingLeft)) {
    const seen = last[name as keyof Statistics];
    world.expect(seen === count, `when the server has stopped: ${name} ${seen}`);
  }
}

/** A load that meets no limit shows nothing. */
function expectAll(world: World, { cancelled, refused }: Statistics): void {
  for (const [name, count] of Object.entries({ cancelled, refused, rejected: world.rejected })) {
    world.expect(count > 0, `nobody was ${name}`);
  }
}

/** The counters, without those who ask for them: that's a connection, and its deadline. */
async function ask(world: World): Promise<Statistics> {
  const client = await world.join();
  client.command('STEPTREE.STATS');
  try {
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

async function inTime(run: Promise<void>, ms: number): Promise<void> {
  const watch = new AbortController();
  const late = delay(ms, undefined, { signal: watch.signal }).then(() =>
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
