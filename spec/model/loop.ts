/** Loops: a step that opens an iteration after the other. */
import { runBody } from './body.js';
import { takeNext } from './channelloop.js';
import { leave } from './leave.js';
import { makeFailure } from './failure.js';
import { type Items, makeStep, type Step } from './shape.js';

/** [loop-1] */
export const forEver: Items = () => [];

/** [loop-2] [loop-9] [loop-10] */
export function counted(n: unknown): Items | undefined {
  if (!Number.isInteger(n) || (n as number) < 0) return undefined;
  return (i) => (i < (n as number) ? [i] : undefined);
}

/** [loop-3] [loop-4] [loop-11] [loop-12] [loop-13] [loop-14]: the entries of lists, maps, texts and objects. */
export function entriesOf(collection: unknown): Items | undefined {
  const entries = listEntries(collection);
  return entries && ((i) => entries[i]);
}

function listEntries(collection: unknown): [unknown, unknown][] | undefined {
  if (typeof collection === 'string') return [...collection].map((value, i) => [i, value]);
  if (collection instanceof Map) return [...collection];
  if (Array.isArray(collection)) return collection.map((value, i) => [i, value]);
  if (typeof collection === 'object' && collection !== null) return Object.entries(collection);
  return undefined;
}

/** [loop-6] [loop-9] [error-35]: what is to be repeated is looked at when the loop step starts. */
export function startLoop(step: Step): void {
  step.item = step.start!();
  if (step.item !== undefined) return;
  const failure = makeFailure(step, 'InternalError', 'this cannot be repeated');
  leave(step, { how: 'error', failure });
}

/** [loop-5] [loop-7]: the next iteration is a step of its own; after the last one the loop is done. */
export function nextIteration(loop: Step): void {
  const values = loop.channel === undefined ? loop.item!(loop.iterations) : takeNext(loop);
  if (values === undefined) {
    if (loop.channel === undefined) leave(loop, { how: 'ok', values: [] });
    return;
  }
  const iteration = makeStep('iteration', loop.flow, loop);
  iteration.element = `#${loop.iterations++}`; // [error-32]
  iteration.loop = loop;
  iteration.body = loop.body;
  iteration.part = loop.part;
  iteration.line = loop.line;
  loop.line!.top = iteration;
  loop.line!.values = [];
  runBody(iteration, values, true);
}
