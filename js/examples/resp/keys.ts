import type { IAsyncSteps } from '../../src/index.js';
import type { Client } from './client.js';
import { notAnInteger } from './errors.js';
import { longestMs, multiply, parseInteger } from './numbers.js';
import type { Command } from './parser.js';
import { integer } from './reply.js';

/** DEL key [key ...] */
export function del(asi: IAsyncSteps, client: Client, args: Command): void {
  const { store } = client.shared;
  let removed = 0;
  for (const key of args.slice(1)) if (store.remove(key)) removed += 1;
  asi.success(integer(removed));
}

/** EXPIRE key seconds */
export function expire(asi: IAsyncSteps, client: Client, args: Command): void {
  expireIn(asi, client, args, 1000n);
}

/** PEXPIRE key milliseconds */
export function pexpire(asi: IAsyncSteps, client: Client, args: Command): void {
  expireIn(asi, client, args, 1n);
}

function expireIn(asi: IAsyncSteps, client: Client, args: Command, unit: bigint): void {
  const option = args[3];
  if (option !== undefined) asi.error('ERR', `Unsupported option ${option}`);
  const value = parseInteger(args[2]!);
  if (value === undefined) notAnInteger(asi);
  const ms = multiply(value, unit);
  if (ms === undefined || ms > longestMs) {
    asi.error('ERR', `invalid expire time in '${args[0]!.toLowerCase()}' command`);
  }
  asi.success(integer(client.shared.store.expire(args[1]!, Number(ms)) ? 1 : 0));
}

/** TTL key: whole seconds, rounded */
export function ttl(asi: IAsyncSteps, client: Client, args: Command): void {
  const ms = client.shared.store.timeToLive(args[1]!);
  asi.success(integer(ms < 0 ? ms : Math.floor((ms + 500) / 1000)));
}

/** PTTL key */
export function pttl(asi: IAsyncSteps, client: Client, args: Command): void {
  asi.success(integer(client.shared.store.timeToLive(args[1]!)));
}
