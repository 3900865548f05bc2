/** What the lines inside of a step wait for when its time is over, in words. */
import { pathOf } from './path.js';
import type { Line, Step } from './shape.js';
import { kindOf, linesInside, stepsOf, waitOf } from './snapshot.js';

/** [timeout-32]: of the first line that waits, and how many others do. */
export function waitingIn(step: Step): string | undefined {
  const [first, ...others] = linesFrom(step.line!, step).flatMap((line) => textOf(line, step));
  return first === undefined || others.length === 0 ? first : `${first}, and ${others.length} more`;
}

/** With the one of a map that waits for a value, in its place. */
function linesFrom(line: Line, within: Step): Line[] {
  const { lines, mapping } = stepsOf(line, within).at(-1) ?? line.root;
  const inside = mapping === undefined ? linesInside(line, within) : lines;
  const open = inside.filter(({ closed }) => !closed);
  return [line, ...open.flatMap((inner) => linesFrom(inner, within))];
}

function textOf(line: Line, within: Step): string[] {
  const innermost = stepsOf(line, within).at(-1) ?? line.root;
  const waits = innermost.mapping?.taking?.closed === false ? undefined : waitOf(line, within);
  if (waits === undefined || waits === 'turn' || waits === 'code') return [];
  const parts = partsTo(innermost);
  return [`${`${pathOf(innermost)} ${kindOf(parts)}`.trimStart()}: ${inWords(waits)}`];
}

/** From the one on that has an element. */
function partsTo(innermost: Step): Step[] {
  const parts: Step[] = [];
  for (let step: Step | undefined = innermost; step !== undefined; step = step.parent) {
    if (step.kind !== 'root') parts.unshift(step);
    if (step.kind !== 'root' && step.kind !== 'lock' && !step.hidden) break;
  }
  return parts;
}

const words: { [what: string]: string } = {
  stop: 'waits for what it has begun to stop',
  guard: 'waits for a guard of the program',
  send: 'waits for room in a channel',
  receive: 'waits for a value of a channel',
  'timer Infinity': 'waits for ever',
  awaitable: 'awaits a promise',
  completion: 'waits for its completion',
  success: 'waits for success() or error() of its accessor',
};

/** [observe-6] */
function inWords(waits: string): string {
  const [what, more] = [waits.split(' ', 1)[0]!, waits.replace(/^\S+ /, '')];
  if (words[waits] !== undefined) return words[waits];
  if (what === 'timer') return `waits ${more} ms`;
  if (what === 'guard') return `waits for ${more.replace(/ \d+$/, '')}`;
  return words[what]!.replace('a channel', () => `channel ${more}`);
}
