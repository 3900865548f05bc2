/** Measures one subject in one scenario: a server, its processes, some seconds. */
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startRedis } from '../../tools/redis/server.js';
import { type Counted, microseconds } from '../js/redis/tally.js';
import { Crowd, type Load } from './crowd.js';
import { Monitor, type Spent, spent } from './spent.js';
import { verify } from './verify.js';

/** Of an operation, but `perSecond`. */
export interface Figures {
  readonly perSecond: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly commands: number;
  readonly bytes: number;
  /** Microseconds of the CPU: of the server, and of the processes. */
  readonly server: number;
  readonly processes: number;
}

const warmMs = 1000;

/** So much of all operations took at most so many microseconds. */
export function quantile(counted: readonly Pick<Counted, 'times'>[], part: number): number {
  const times = new Map<number, number>();
  for (const one of counted)
    for (const [step, count] of one.times) times.set(step, (times.get(step) ?? 0) + count);
  const sorted = [...times].sort(([one], [other]) => one - other);
  let left = part * sorted.reduce((sum, [, count]) => sum + count, 0);
  for (const [step, count] of sorted) if ((left -= count) <= 0) return microseconds(step);
  return Number.NaN;
}

const sumOf = (counted: readonly Counted[], what: 'count' | 'cpu'): number =>
  counted.reduce((sum, one) => sum + one[what], 0);

async function run<T>(
  load: Load,
  ms: number,
  look: (port: number, redis: Redis) => Promise<T>,
): Promise<{ from: T; to: T; counted: Counted[]; ms: number }> {
  const server = await startRedis();
  const redis = new Redis(server.port);
  const crowd = new Crowd(load, server.port);
  try {
    await crowd.ready();
    await pause(warmMs);
    const from = await look(server.port, redis);
    const began = performance.now();
    crowd.measure();
    await pause(ms);
    const to = await look(server.port, redis);
    const ended = performance.now();
    const counted = await crowd.stop();
    verify(load.program, counted);
    return { from, to, counted, ms: ended - began };
  } finally {
    crowd.kill();
    redis.disconnect();
    await server.stop();
  }
}

export async function measure(load: Load, seconds: number): Promise<Figures> {
  const { from, to, counted, ms } = await run(load, seconds * 1000, (_port, redis) => spent(redis));
  const count = sumOf(counted, 'count');
  const each = (what: keyof Spent, factor = 1) => ((to[what] - from[what]) * factor) / count;
  return {
    perSecond: (count / ms) * 1000,
    p50: quantile(counted, 0.5),
    p99: quantile(counted, 0.99),
    commands: each('commands'),
    bytes: each('bytes'),
    server: each('cpu', 1000),
    processes: (sumOf(counted, 'cpu') * 1000) / count,
  };
}

/** Commands for an operation: those that clients send, and all. */
export interface Asked {
  readonly asked: number;
  readonly commands: number;
}

/** Nothing is timed: who listens to all commands slows the server down. */
export async function asked(load: Load, seconds: number): Promise<Asked> {
  let monitor: Monitor | undefined;
  const look = async (port: number, redis: Redis) => {
    monitor ??= new Monitor(port);
    await pause(100);
    return { asked: monitor.asked, commands: (await spent(redis)).commands };
  };
  try {
    const { from, to, counted } = await run(load, seconds * 1000, look);
    const count = sumOf(counted, 'count');
    return {
      asked: (to.asked - from.asked) / count,
      commands: (to.commands - from.commands) / count,
    };
  } finally {
    monitor?.close();
  }
}
