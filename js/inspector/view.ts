// What a page asks for, as it comes from the net: only what is right is handed on.

import type { View } from '../src/imessages.js';

const STATES = ['running', 'cancelling'];
const SORTS = ['since', 'age', 'id', 'name', 'deadline', 'lines'];
const WAITS = [
  ...['turn', 'code', 'stop', 'guard', 'send', 'receive'],
  ...['timer', 'awaitable', 'completion', 'success'],
];
const MOST_ROWS = 200;
const MOST_TEXT = 200;

const text = (value: unknown) => typeof value === 'string' && value.length <= MOST_TEXT;
const number = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const among = (words: readonly string[]) => (value: unknown) => words.includes(value as string);

const CHECKS: { readonly [K in keyof View]-?: (value: unknown) => boolean } = {
  text,
  state: among(STATES),
  waits: among(WAITS),
  code: text,
  guard: number,
  age: number,
  since: number,
  sort: among(SORTS),
  reverse: (value) => typeof value === 'boolean',
  first: number,
  rows: (value) => number(value) && (value as number) <= MOST_ROWS,
  open: number,
  number,
};
const NEEDED = ['sort', 'first', 'rows'];

/** Undefined: it is none. */
export function viewOf(value: unknown): View | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const view = value as Record<string, unknown>;
  const isRight = Object.entries(view).every(
    ([key, of]) => Object.hasOwn(CHECKS, key) && CHECKS[key as keyof View](of),
  );
  return isRight && NEEDED.every((key) => key in view) ? (value as View) : undefined;
}

/** Before a page has asked for something. */
export const firstView: View = { sort: 'since', first: 0, rows: 60 };
