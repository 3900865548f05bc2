// What of a program two languages can share, with times of its own: nothing in it happens at the same instant by chance.

import type { Program } from '../case.js';
import type { Chance } from './chance.js';
import { isPart, mapped, type Part } from './parts.js';
import { askedAt, probe } from './probes.js';
import { withoutUnmade } from './programs.js';

/** What meets others at the same instant, or counts what is left of both languages. */
const left = [
  ...['execute', 'promise', 'start', 'closeScope', 'drainScope', 'addTo', 'newInstance'],
  ...['immediate', 'deferred', 'cancelHandle', 'validHandle', 'runTool', 'busy', 'armedTimers'],
];

export function withoutOthers(program: Program): Program {
  const { order: _, options, ...rest } = program;
  const { main, [probe]: probes } = program.flows as { [name: string]: unknown };
  const without = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.filter((item) => !isLeft(item)).map(without);
    if (!isPart(part)) return part;
    if ('await' in part && 'flow' in part) return without(awaitsPromise(part));
    if ('loop' in part && isEndless(part)) return without(ends(part));
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, without(value)]));
  };
  const isLeft = (item: unknown) =>
    item === 'runTool' || (isPart(item) && left.some((key) => key in item) && !isProbe(item));
  const { grace = 10 } = (options as { main?: { grace?: number } })?.main ?? {};
  return withoutUnmade({
    ...(without(rest) as Program),
    options: { main: { grace } },
    flows: { main: without(main), ...(probes === undefined ? {} : { [probe]: probes }) },
    start: [{ execute: 'main' }],
  });
}

/** There is but one flow. */
function awaitsPromise({ flow: _, ...rest }: Part): Part {
  return { ...rest, on: 'P' };
}

/** Such a loop is nothing but long. */
function isEndless(loop: Part): boolean {
  const text = JSON.stringify(loop);
  return !/"(break|error)/.test(text) || /"continue/.test(text);
}

function ends({ loop: repeat, ...rest }: Part): Part {
  return { repeat, times: 2, ...rest };
}

function isProbe(item: Part): boolean {
  return item['execute'] === probe;
}

const times = ['setTimeout', 'delay', 'timeout', 'after', 'base', 'cap', 'grace', 'period'];

/** Far apart from each other. */
export function spread(program: Program, chance: Chance): unknown {
  const far = (ms: unknown) =>
    typeof ms === 'number' && ms >= 0 && Number.isInteger(ms)
      ? ms * 10_000 + chance.int(1, 9_999)
      : ms;
  const atOf = (ms: unknown) =>
    typeof ms === 'number' && ms >= askedAt / 2 ? far(ms / (askedAt / 1000)) : far(ms);
  return mapped(program, (part) =>
    Object.fromEntries(
      Object.entries(part).map(([key, value]) => {
        if (key === 'at') return [key, atOf(value)];
        if (key === 'on' && isPart(value)) return [key, answersOf(value, far)];
        const isTime =
          times.includes(key) || key === 'openFor' || (key === 'limit' && 'shield' in part);
        return [key, isTime ? far(value) : value];
      }),
    ),
  );
}

function answersOf(on: Part, far: (ms: unknown) => unknown): Part {
  return Object.fromEntries(Object.entries(on).map(([code, answer]) => [code, far(answer)]));
}

/** Branches begin one after the other; so do the items of a map. */
export function apart(part: Part, chance: Chance): Part {
  if ('map' in part && typeof part['limit'] === 'number') return { ...part, limit: 1 };
  if (!Array.isArray(part['branches'])) return part;
  const branches = part['branches'].map((branch) => ({
    steps: '',
    parts: [{ delay: chance.int(1, 9_999) }, branch],
  }));
  return { ...part, branches };
}
