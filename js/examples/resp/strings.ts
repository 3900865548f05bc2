import type { IAsyncSteps } from '../../src/index.js';
import type { Client } from './client.js';
import { increment, longestMs, multiply, parseInteger } from './numbers.js';
import type { Command } from './parser.js';
import { bulk, integer, nullBulk, ok } from './reply.js';
import { notAnInteger, syntaxError, wrongType } from './errors.js';

/** GET key */
export function get(asi: IAsyncSteps, client: Client, args: Command): void {
  const text = textOf(asi, client, args[1]!);
  asi.success(text === undefined ? nullBulk : bulk(text));
}

/** SET key value [NX | XX] [EX seconds | PX milliseconds] */
export function set(asi: IAsyncSteps, client: Client, args: Command): void {
  const { store } = client.shared;
  const key = args[1]!;
  const options = readOptions(asi, args);
  const exists = store.find(key) !== undefined;
  if ((options.condition === 'NX' && exists) || (options.condition === 'XX' && !exists)) {
    asi.success(nullBulk);
    return;
  }
  store.put(key, { text: args[2]! });
  if (options.ms !== undefined) store.expire(key, options.ms);
  asi.success(ok);
}

/** INCR key */
export function incr(asi: IAsyncSteps, client: Client, args: Command): void {
  const { store } = client.shared;
  const key = args[1]!;
  const text = textOf(asi, client, key);
  const old = parseInteger(text ?? '0');
  if (old === undefined) notAnInteger(asi);
  const value = increment(old);
  if (value === undefined) asi.error('ERR', 'increment or decrement would overflow');
  const held = store.find(key);
  if (held && 'text' in held) held.text = String(value);
  else store.put(key, { text: String(value) });
  asi.success(integer(value));
}

interface SetOptions {
  condition: string;
  ms: number | undefined;
}

function readOptions(asi: IAsyncSteps, args: Command): SetOptions {
  const options: SetOptions = { condition: '', ms: undefined };
  let time: { unit: string; text: string } | undefined;
  for (let i = 3; i < args.length; i += 1) {
    const word = args[i]!.toUpperCase();
    if ((word === 'NX' || word === 'XX') && (!options.condition || options.condition === word)) {
      options.condition = word;
    } else if ((word === 'EX' || word === 'PX') && !time && i + 1 < args.length) {
      i += 1;
      time = { unit: word, text: args[i]! };
    } else {
      syntaxError(asi);
    }
  }
  if (time) options.ms = readExpiry(asi, time.text, time.unit === 'EX' ? 1000n : 1n);
  return options;
}

function readExpiry(asi: IAsyncSteps, text: string, unit: bigint): number {
  const value = parseInteger(text);
  if (value === undefined) notAnInteger(asi);
  const ms = multiply(value, unit);
  if (ms === undefined || ms <= 0n || ms > longestMs) {
    asi.error('ERR', "invalid expire time in 'set' command");
  }
  return Number(ms);
}

function textOf(asi: IAsyncSteps, client: Client, key: string): string | undefined {
  const value = client.shared.store.find(key);
  if (value && !('text' in value)) wrongType(asi);
  return value?.text;
}
