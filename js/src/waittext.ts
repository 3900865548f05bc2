// What a line waits for, in words.

import type { WaitSnapshot } from './isnapshot.js';

const WAITS = {
  turn: 'its turn is next',
  code: 'runs',
  stop: 'waits for what it has begun to stop',
  guard: 'waits for a guard of the program',
  send: 'waits for room in a channel',
  receive: 'waits for a value of a channel',
  timer: 'waits for ever',
  awaitable: 'awaits a promise',
  completion: 'waits for its completion',
  success: 'waits for success() or error() of its accessor',
};

export function waitText({ for: what, ms, kind, name = '' }: WaitSnapshot): string {
  if (kind !== undefined) return `waits for ${kind}${quoted(name)}`;
  if (ms !== undefined) return `waits ${ms} ms`;
  const text = WAITS[what];
  return name === '' ? text : text.replace('a channel', () => `channel${quoted(name)}`);
}

/** The same in few words, as traces have it. */
export function waitWords({ for: what, ms, kind, name = '', place }: WaitSnapshot): string {
  if (what === 'timer') return `timer ${ms ?? Infinity}`;
  const title = `${what}${kind === undefined ? '' : ` ${kind}`}${quoted(name)}`;
  return place === undefined ? title : `${title} ${place}`;
}

export function quoted(name: string): string {
  return name === '' ? '' : ` ${JSON.stringify(name)}`;
}
