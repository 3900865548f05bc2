import { errors, type IAsyncSteps } from '../../src/index.js';
import type { Client } from './client.js';
import { wrongType } from './errors.js';
import { longestMs, parseDecimal } from './numbers.js';
import type { Command } from './parser.js';
import { bulkArray, integer, nullArray } from './reply.js';

/** LPUSH key element [element ...] */
export function lpush(asi: IAsyncSteps, client: Client, args: Command): void {
  const { store, waiters } = client.shared;
  const key = args[1]!;
  let list = listOf(asi, client, key);
  if (!list) store.put(key, { list: (list = []) });
  for (let i = 2; i < args.length; i += 1) list.push(args[i]!);
  asi.success(integer(list.length));
  waiters.serve(key, list);
  if (list.length === 0) store.remove(key);
}

/** LLEN key */
export function llen(asi: IAsyncSteps, client: Client, args: Command): void {
  asi.success(integer(listOf(asi, client, args[1]!)?.length ?? 0));
}

/** BLPOP key [key ...] timeout: seconds, 0 waits for ever */
export function blpop(asi: IAsyncSteps, client: Client, args: Command): void {
  const { store, waiters } = client.shared;
  const ms = readTimeout(asi, args.at(-1)!);
  const keys = args.slice(1, -1);
  for (const key of keys) {
    const list = listOf(asi, client, key);
    if (!list) continue;
    asi.success(bulkArray([key, list.pop()!]));
    if (list.length === 0) store.remove(key);
    return;
  }
  asi.add(
    (step) => {
      const done = step.waitExternal();
      const waiter = waiters.enter(keys, (key, element) => done.success(bulkArray([key, element])));
      step.defer(() => waiters.withdraw(waiter));
      if (ms > 0) step.setTimeout(ms);
      client.waits();
    },
    (step, code) => {
      if (code === errors.Timeout) step.success(nullArray);
    },
    'blpop',
  );
}

function readTimeout(asi: IAsyncSteps, text: string): number {
  const seconds = parseDecimal(text);
  if (seconds === undefined) asi.error('ERR', 'timeout is not a float or out of range');
  if (seconds < 0) asi.error('ERR', 'timeout is negative');
  const ms = Math.ceil(seconds * 1000);
  if (ms > longestMs) asi.error('ERR', 'timeout is out of range');
  return ms;
}

function listOf(asi: IAsyncSteps, client: Client, key: string): string[] | undefined {
  const value = client.shared.store.find(key);
  if (value && !('list' in value)) wrongType(asi);
  return value?.list;
}
