// A queue of jobs as those who enqueue see it. All that has to be atomic is in the scripts of spec/redis/jobs.

import { type DeadLetter, deadLetterOf, type Entry, isEntry } from './deadletter.js';
import { errors, StepError } from './index.js';
import { jsonOf } from './jobtext.js';
import type { RedisConnection } from './redisconnection.js';
import {
  checkConnection,
  checkNames,
  expected,
  mistake,
  numberIn,
  wholeIn,
} from './redisoptions.js';

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without a platform's
declare const globalThis: { readonly crypto: { randomUUID(): string } };

/** Of a `JobQueue`. Those who enqueue and those who work give the same ones. */
export interface JobQueueOptions {
  /** How many jobs it may hold, those that run included. Default: 1,000,000. */
  limit?: number | undefined;
  /** How many dead letters are kept: the newest. Default: 10,000. */
  deadLetters?: number | undefined;
  /** How many bytes a payload may have, as JSON. Default: 1,048,576. */
  maxBytes?: number | undefined;
  /** How deep arrays and objects of a payload may lie in each other. Default: 64. */
  maxDepth?: number | undefined;
}

/** Of `enqueue`. */
export interface EnqueueOptions {
  /** Jobs of one key run one after the other, in the order in which they were enqueued. Default: none. */
  key?: string | undefined;
  /** An idempotency key: while a job of this one is in the queue, and `uniqueFor` after that, no other is added. Default: none. */
  unique?: string | undefined;
  /** How long the idempotency key is kept once the job has ended, in milliseconds. Default: 3,600,000, an hour. */
  uniqueFor?: number | undefined;
  /** In how many milliseconds it may begin at the earliest. Default: 0. */
  delay?: number | undefined;
  /** In how many milliseconds, from now, it has to be done: else it's a dead letter. Default: none. */
  deadline?: number | undefined;
  /** Of the payload's schema: a worker that knows only older ones doesn't run it. Default: 0. */
  version?: number | undefined;
}

/** How a job stands: it waits for its turn, waits for its time, or runs. */
export type JobState = 'waits' | 'due' | 'runs';

/** Of a job in the queue. */
export interface JobLook {
  /** Whether it waits or runs. */
  readonly state: JobState;
  /** How many attempts have failed. */
  readonly attempts: number;
  /** How often its worker was lost. */
  readonly losses: number;
  /** What its handler has said last; `undefined`: nothing. */
  readonly progress: unknown;
}

/** How many jobs a queue has. */
export interface JobCounts {
  /** All that are neither done nor dead. */
  readonly jobs: number;
  /** Of these, how many wait for their time. */
  readonly due: number;
  /** Of these, how many run. */
  readonly run: number;
  /** How many dead letters there are. */
  readonly dead: number;
}

/**
 * A queue of jobs in Redis, which survive the processes that enqueue them and those that work on them. Any number of processes have one of
 * the same name. It does nothing by itself. A bad name or option: `InternalError`. Guide: docs/jobs.md
 *
 *     const letters = new JobQueue<{ to: string }>(shop, 'letters');
 *     await enqueue(letters, { to: 'ann' });
 */
export class JobQueue<T = unknown> {
  /** As it was given. */
  readonly name: string;
  /** @internal */
  readonly connection: RedisConnection;
  /** @internal */
  readonly base: string;
  /** @internal */
  readonly limits: Required<{ [K in keyof JobQueueOptions]: number }>;
  /** For the compiler only: what its payloads are. */
  declare readonly payload?: T;

  /** `name`: without braces. */
  constructor(connection: RedisConnection, name: string, options: JobQueueOptions = {}) {
    const known = 'limit deadLetters maxBytes maxDepth';
    const given = checkNames('JobQueue', options, known);
    const { limit = 1e6, deadLetters = 1e4, maxBytes = 1_048_576, maxDepth = 64 } = given;
    const most = 512 * 1_048_576; // what Redis takes as one text
    this.limits = {
      limit: wholeIn('JobQueue: limit', limit, 1, Number.MAX_SAFE_INTEGER),
      deadLetters: wholeIn('JobQueue: deadLetters', deadLetters, 0, Number.MAX_SAFE_INTEGER),
      maxBytes: wholeIn('JobQueue: maxBytes', maxBytes, 1, most),
      maxDepth: wholeIn('JobQueue: maxDepth', maxDepth, 0, 10_000),
    };
    this.base = checkConnection('JobQueue', connection).key('jobs', name, 'JobQueue');
    this.connection = connection;
    this.name = name;
  }

  /**
   * The dead letters, the newest first: 100 of them, or so many, at most. Guide: docs/jobs.md#dead-letters
   *
   *     for (const { id, code, info } of await letters.dead(10)) console.log(id, code, info);
   */
  async dead(count = 100): Promise<DeadLetter[]> {
    const most = String(wholeIn('dead', count, 1, Number.MAX_SAFE_INTEGER));
    const key = `${this.base}:dead`;
    const found = await this.connection.command(key, 'XREVRANGE', key, '+', '-', 'COUNT', most);
    return (found as Entry[]).map(deadLetterOf);
  }

  /**
   * Enqueues the job of a dead letter again, under its id, as if no attempt had been made, without delay and deadline. Gives whether there was such a
   * letter. One whose payload wasn't kept: `InternalError`. Guide: docs/jobs.md#dead-letters
   *
   *     for (const { entry } of await letters.dead(10)) await letters.revive(entry);
   */
  async revive(entry: string): Promise<boolean> {
    if (!isEntry(textIn('revive: entry', entry))) return false;
    const key = `${this.base}:dead`;
    const found: Entry[] = await this.connection.command(key, 'XRANGE', key, entry, entry);
    if (found[0] === undefined) return false;
    const letter = deadLetterOf(found[0]);
    if (letter.text === undefined) throw mistake('revive: the payload was not kept');
    await add(this, letter.text, { key: letter.key, version: letter.version }, letter.id);
    await this.connection.command(key, 'XDEL', key, entry);
    return true;
  }

  /**
   * Deletes a dead letter. Gives whether there was such a one. Guide: docs/jobs.md#dead-letters
   *
   *     for (const { entry } of await letters.dead(10)) await letters.discard(entry);
   */
  async discard(entry: string): Promise<boolean> {
    if (!isEntry(textIn('discard: entry', entry))) return false;
    const key = `${this.base}:dead`;
    return (await this.connection.command(key, 'XDEL', key, entry)) === 1;
  }

  /**
   * Takes a job out of the queue that doesn't run: it has not begun, or waits for another attempt. Its idempotency key is free then, and the next
   * one of its key has its turn. Gives whether it was taken out; not if it runs, is done or dead. Guide: docs/jobs.md#when-in-which-order-how-often
   *
   *     if (!(await letters.remove(id))) console.log('too late');
   */
  async remove(id: string): Promise<boolean> {
    const args = [textIn('remove: id', id)];
    return (await this.connection.script('jobs/remove', this.base, args)) === 1;
  }

  /**
   * How a job stands; `undefined` if it's done, dead, or was never enqueued. Guide: docs/jobs.md#progress
   *
   *     console.log((await letters.look(id))?.progress);
   */
  async look(id: string): Promise<JobLook | undefined> {
    const asked = this.connection.script('jobs/look', this.base, [textIn('look: id', id)]);
    const [state, attempts, losses, progress] = await asked;
    if (state === undefined) return undefined;
    return { state, attempts, losses, progress: progress ? JSON.parse(progress) : undefined };
  }

  /**
   * How many jobs there are. Guide: docs/jobs.md#progress
   *
   *     const { jobs, dead } = await letters.counts();
   */
  async counts(): Promise<JobCounts> {
    const [jobs, due, run, dead] = await this.connection.script('jobs/counts', this.base, []);
    return { jobs, due, run, dead };
  }
}

/**
 * Adds a job, and gives its id once Redis has it: from then on it isn't lost. If its idempotency key is known that is the id of the job that has
 * it, and nothing is added. A full queue: `DefenseRejected`. A payload that JSON can't say, or that is too large, and a bad option:
 * `InternalError`. An error of the client: as it is; whether the job was added isn't known then, and with an idempotency key it can be enqueued
 * again. Guide: docs/jobs.md
 *
 *     const id = await enqueue(letters, { to: 'ann' }, { delay: 60_000, key: 'ann' });
 */
export async function enqueue<T>(
  queue: JobQueue<T>,
  payload: T,
  options: EnqueueOptions = {},
): Promise<string> {
  checkJobQueue('enqueue', queue);
  const text = jsonOf('enqueue', payload, queue.limits);
  return add(queue, text, options, globalThis.crypto.randomUUID());
}

async function add<T>(
  { base, connection, limits, name }: JobQueue<T>,
  text: string,
  options: EnqueueOptions,
  id: string,
): Promise<string> {
  const known = 'key unique uniqueFor delay deadline version';
  const given = checkNames('enqueue', options, known);
  const { key = '', unique = '', uniqueFor = 3_600_000, delay = 0, deadline, version = 0 } = given;
  const most = Number.MAX_SAFE_INTEGER;
  const ms = (what: string, value: number) =>
    Math.ceil(numberIn(`enqueue: ${what}`, value, 0, 1e13));
  const found = await connection.script('jobs/enqueue', base, [
    ...[id, text, textIn('enqueue: key', key), textIn('enqueue: unique', unique)],
    ...[ms('uniqueFor', uniqueFor), ms('delay', delay)],
    deadline === undefined ? '' : ms('deadline', deadline),
    ...[wholeIn('enqueue: version', version, 0, most), limits.limit],
  ]);
  if (found !== '') return found;
  const why = `queue "${name}": ${limits.limit} jobs are in it`;
  throw new StepError(errors.DefenseRejected, why);
}

/** Of `enqueue` and `worker`. */
export function checkJobQueue(call: string, given: JobQueue<any>): void {
  if (typeof (Object(given) as JobQueue).connection?.script !== 'function')
    throw expected(call, 'a JobQueue', given);
}

function textIn(what: string, given: unknown): string {
  if (typeof given === 'string') return given;
  throw expected(what, 'a string', given);
}
