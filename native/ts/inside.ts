// What snapshots show of a native call: its lines, inside of the step that calls it.

import type { FlowSnapshot, LineSnapshot, WaitSnapshot } from 'steptree';
import type { Look } from './engine.js';

/** `flow` undefined: it has ended just now, and the turn of its step is next. */
export function addInside(
  shown: LineSnapshot,
  look: Look,
  flow: FlowSnapshot | undefined,
  name: string,
): void {
  const line = flow?.line;
  if (line === undefined) {
    shown.waits = { for: 'turn' };
    return;
  }
  // JavaScript's step shows already what has its name.
  const at = line.steps.findIndex(({ element }) => element === name);
  const { timeout } = line.steps.splice(0, at + 1).at(-1) ?? {};
  const around = shown.steps.at(-1)!;
  // One of a value around it may be nearer.
  if (timeout !== undefined) around.timeout = Math.min(timeout, around.timeout ?? Infinity);
  const next = [line];
  for (let inner = next.pop(); inner !== undefined; inner = next.pop()) {
    // Numbers of native guards may be those of JavaScript's.
    delete inner.waits?.guard;
    next.push(...inner.lines);
  }
  delete shown.waits;
  Object.assign(shown, { ...line, steps: [...shown.steps, ...line.steps] });
  look.nearest = Math.min(look.nearest, look.now + (flow?.deadline ?? Infinity));
}

type Add = (shown: LineSnapshot, look: Look) => void;

/** What native lines wait for, in the words of `waits`. Undefined: the step has no call that waits. */
export function waitsInside(
  this: { inside?: Map<unknown, Add> },
  step: unknown,
  textOf: (waits: WaitSnapshot) => string,
): string[] | undefined {
  const add = this.inside?.get(step);
  if (add === undefined) return;
  const path = (step as { toPath(): string }).toPath();
  const first: LineSnapshot = { steps: [{ element: path, kind: 'step' }], lines: [] };
  add(first, { now: 0, nearest: 0 });
  const texts: string[] = [];
  const next: [string, LineSnapshot][] = [['', first]];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    const [around, { steps, waits, lines }] = at;
    const path = [around, ...steps.map(({ element }) => element)].filter(Boolean).join('/');
    for (const line of [...lines].reverse()) next.push([path, line]);
    if (waits === undefined || waits.for === 'turn' || waits.for === 'code') continue;
    texts.push(`${path} ${steps.at(-1)?.kind ?? 'step'}: ${textOf(waits)}`);
  }
  return texts;
}
