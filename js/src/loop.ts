// Loops: a step whose iterations are fresh steps, one at a time. The loop's own state is its `work`.
//
// Whether there is a next round is found out without opening it: the line may have to wait for its next turn then. An
// iterator is asked once and its answer kept. Whoever leaves early has the iterator's `return()` called.

import { Awaited, listen } from './awaiting.js';
import { badArgument, checkCount, checkLabel } from './error.js';
import type { ForEach } from './iasyncsteps.js';
import type { Part, Step as IStep } from './istep.js';
import { AGAIN, ENDED, type Kind, PENDING, READY } from './kind.js';
import {
  COUNT,
  EACH,
  ENDLESS,
  ENTRIES,
  ITEMS,
  KEYS,
  LIST,
  NOT_STARTED,
  PIPE,
  STREAM,
} from './loopmode.js';
import { AWAITING, BODY, EXITS, FREE, NUMBERED, OPENS, ROUND, ROUNDS } from './phase.js';
import { isObject, tagOf } from './portable.js';
import { ask } from './settle.js';
import { isCancelled } from './shelter.js';
import { Step } from './step.js';
import { enterLeaving, refusePromise, thenOf, watchRejection } from './thenable.js';
import { Definition } from './definition.js';
import { checkPart, partName } from './steps.js';
import { clearResults, setResults } from './results.js';
import { type Line, openInner, openInside } from './tree.js';

interface AnyIterator {
  next(): unknown;
  return?(): unknown;
}

export const LOOP = OPENS | FREE | ROUNDS | EXITS;

/** The call that makes it. */
export function loopName(mode: number): string {
  return ['loop', 'repeat'][mode] ?? 'forEach';
}

export class Loop implements Kind {
  declare mode: number;
  /** The count, the list, the object. */
  declare source: any;
  declare readonly body: any;
  declare readonly label: string;
  index = 0;
  limit = NOT_STARTED;
  keys: string[] | null = null;
  iterator: AnyIterator | null = null;
  /** The value that the iterator has given, and whether it has: till its iteration opens. */
  value: any = undefined;
  ready = false;
  /** What the promise of an async iterator has brought: it is looked at in the line's turn. */
  received: { readonly answer: unknown } | null = null;
  /** While its next item is awaited. */
  awaited: Awaited | null = null;

  constructor(mode: number, source: unknown, body: unknown, label: string) {
    this.mode = mode;
    this.source = source;
    this.body = body;
    this.label = label;
  }

  get kind(): string {
    return loopName(this.mode);
  }

  open(line: Line, step: Step): number {
    openInner(line, step);
    return AGAIN;
  }

  /** The usual case comes first: there is a next round, and nobody has to be asked. A loop that has not started has no limit. */
  next(_line: Line, step: Step): number {
    const { mode } = this;
    if (mode === ENDLESS || (mode <= LIST && this.index < this.limit)) return READY;
    return this.ask(step);
  }

  private ask(step: Step): number {
    if (this.mode === PIPE) return this.source.ended ? ENDED : READY;
    clearResults(step.line);
    const started = this.limit === NOT_STARTED ? ask(step, startLoop, step, this) : READY;
    return started === READY ? ask(step, advance, step, this) : started;
  }

  round(line: Line, step: Step): Step | number {
    if (this.mode === PIPE && !this.source.isDue(line, step, this)) return AGAIN;
    if (typeof this.body !== 'function') return ask(step, queueRound, step, this);
    const iteration = new Step(ROUND | NUMBERED | BODY, this, step.count++);
    iteration.line = line;
    iteration.link = step;
    line.top = iteration;
    return iteration;
  }

  call(iteration: Step): unknown {
    const { body, mode } = this;
    if (mode === ENDLESS) return body(iteration);
    const key = this.nextKey();
    if (mode === COUNT) return body(iteration, key);
    const { line } = iteration;
    const isLate = isCancelled(line); // by an observer
    const value = this.itemAt(key);
    return !isLate && isCancelled(line) ? undefined : body(iteration, key, value);
  }

  /** The first of what the round that begins gets. */
  nextKey(): any {
    const index = this.index++;
    if (this.mode === KEYS) return this.keys![index];
    return this.mode === ENTRIES ? this.value[0] : index;
  }

  /** The second; to look for it may call user code. */
  itemAt(key: any): unknown {
    const { mode } = this;
    if (mode === LIST || mode === KEYS) return this.source[key];
    const value = takeValue(this);
    return mode === ENTRIES ? value[1] : value;
  }

  waitForNext(step: Step, promise: unknown): void {
    const then = thenOf(promise);
    this.awaited = new NextItem(step, promise, false);
    listen(step, this.awaited, then);
  }

  /** It's left before its collection is at its end. */
  exit(step: Step): unknown {
    return this.leave(step, (step.bits & AWAITING) === 0);
  }

  /** Nobody waits for the next item of an async source any more. */
  cut(): void {
    if (this.awaited !== null) this.awaited.step = null;
  }

  /** What an async source gives when it's returned to may be waited for, if it isn't being asked. */
  leave(step: Step, isIdle: boolean): unknown {
    const { iterator } = this;
    this.cut();
    if (iterator === null) return undefined;
    this.iterator = null;
    return enterLeaving(step, () => {
      if (typeof iterator.return !== 'function') return undefined;
      const answer = iterator.return();
      if (isIdle && this.mode === STREAM) return thenOf(answer) && answer;
      watchRejection(step, answer);
      return undefined;
    });
  }
}

/**
 * Runs its body again and again, each time as a step of its own, until `breakLoop`. It has no result. An error that leaves an iteration
 * leaves the loop. What closes it from outside, a timeout, a cancel or a failed sibling, closes the iteration that runs. What the body
 * returns is dropped; a `label` is for `breakLoop` and `continueLoop`. Guide: docs/loops.md#until-something-happens
 *
 *     const poll = loop((asi) => asi.add(ask).add(delay(100)), 'polling');
 *     flow.add(poll);
 */
export function loop(body: Part<[]>, label?: string): IStep<any, []>;
export function loop(body: unknown, label?: string): any {
  return loopOf('loop', ENDLESS, undefined, body, label);
}

/**
 * Runs its body `n` times, with the numbers from 0 to `n` - 1, each time as a step of its own. It has no result, and ends after the last of
 * them or by `breakLoop`; else it is as `loop`. A count that is no whole number from 0 up: `InternalError` of the step when it begins.
 * Guide: docs/loops.md
 *
 *     const thrice = repeat(3, (asi, i) => asi.add(() => log(i)));
 *     flow.add(thrice);
 */
export function repeat(n: number, body: Part<[index: number]>, label?: string): IStep<any, []>;
export function repeat(n: number, body: unknown, label?: string): any {
  return loopOf('repeat', COUNT, n, body, label);
}

/**
 * Runs its body for each element, in order, with its index and value; of a Map, or an object's own keys, with key and value. Each time is a
 * step of its own. The length of an array is taken when the step begins, its values when their turn comes; an async iterable is awaited
 * element by element. Of a `Channel` it receives value by value, and ends when that is closed and empty; what has come and has no iteration
 * yet when it is left goes back. An iterator is gone after one run: give a function that returns one, which each run calls. It has no result,
 * and ends after the last element or by `breakLoop`; else it is as `loop`. What can't be iterated: `InternalError` of the step when it
 * begins.
 *
 *     const greetAll = forEach(['Ann', 'Bob'], (asi, i, name) => asi.add(greet.with(name)));
 *     flow.add(greetAll);
 */
export const forEach: ForEach<IStep<any, []>> = (
  collection: unknown,
  body: unknown,
  label?: string,
): any => loopOf('forEach', EACH, collection, body, label);

function loopOf(
  call: string,
  mode: number,
  source: unknown,
  body: unknown,
  label: unknown,
): Definition {
  const part = checkPart(call, body);
  const text = checkLabel(call, label);
  return new Definition(LOOP, () => new Loop(mode, source, part, text), false, partName(part));
}

/** What stands in the place of the body is queued; it costs as much as a body, so that none starves the others. */
function queueRound(step: Step, loop: Loop): number {
  const { mode } = loop;
  if (mode === ENDLESS) {
    clearResults(step.line);
  } else {
    const key = loop.nextKey();
    setResults(step.line, mode === COUNT ? [key] : [key, loop.itemAt(key)]);
  }
  openInside(step, loop.body, NUMBERED, step.count++);
  return AGAIN;
}

/** Looks at the count or the collection. Throws what becomes the step's error. */
export function startLoop(step: Step, loop: Loop, call = 'forEach'): number {
  loop.limit = 0;
  if (loop.mode === COUNT) {
    loop.limit = checkCount('repeat', loop.source, 0);
  } else if (loop.mode === EACH) {
    if (typeof loop.source === 'function') {
      loop.source = loop.source();
      refusePromise(step, call, loop.source);
    }
    classify(loop, loop.source, call);
  }
  return READY;
}

function classify(loop: Loop, source: any, call: string): void {
  const isObject = typeof source === 'object' && source !== null;
  if (Array.isArray(source)) {
    loop.mode = LIST;
    loop.limit = source.length;
  } else if (isObject && typeof source['steptree.taking'] === 'function') {
    loop.mode = PIPE;
    loop.source = source['steptree.taking']();
  } else if (isObject && typeof source[Symbol.asyncIterator] === 'function') {
    loop.mode = STREAM;
    loop.iterator = iteratorOf(source, Symbol.asyncIterator);
  } else if (
    typeof source === 'string' ||
    (isObject && typeof source[Symbol.iterator] === 'function')
  ) {
    const iterator = iteratorOf(source, Symbol.iterator);
    loop.mode = isMap(source, iterator) ? ENTRIES : ITEMS;
    loop.iterator = iterator;
  } else if (isObject) {
    loop.mode = KEYS;
    loop.keys = Object.keys(source);
    loop.limit = loop.keys.length;
  } else {
    badArgument(call, 'a collection', source);
  }
}

/** Also one of another realm; but none that iterates in a way of its own. */
function isMap(source: unknown, iterator: unknown): boolean {
  return tagOf(source) === '[object Map]' && tagOf(iterator) === '[object Map Iterator]';
}

function iteratorOf(source: any, key: symbol): AnyIterator {
  const iterator = source[key]();
  return isObject(iterator) ? iterator : badArgument('forEach', 'an iterator', iterator);
}

/** Whether there is a next round. PENDING: the step awaits it. Throws what becomes the step's error. */
export function advance(step: Step, loop: Loop): number {
  const { mode } = loop;
  if (mode === ENDLESS || mode === PIPE) return READY;
  if (mode > KEYS) return askIterator(step, loop);
  if (mode === KEYS) {
    while (loop.index < loop.limit && !Object.hasOwn(loop.source, loop.keys![loop.index]!)) {
      loop.index++;
    }
  }
  return loop.index < loop.limit ? READY : ENDED;
}

/** An iterator that throws or answers nonsense isn't returned to, as in the language. */
function askIterator(step: Step, loop: Loop): number {
  if (loop.ready) return READY;
  const { iterator, received } = loop;
  if (iterator === null) return ENDED;
  loop.iterator = loop.received = null;
  const answer: any = received === null ? iterator.next() : received.answer;
  if (loop.mode === STREAM && received === null) {
    (step.work as Pick<Loop, 'waitForNext'>).waitForNext(step, answer);
    loop.iterator = iterator;
    return PENDING;
  }
  if (!isObject(answer)) badArgument('next', 'an object', answer);
  if (answer.done) return ENDED;
  loop.value = answer.value;
  loop.ready = true;
  loop.iterator = iterator;
  return READY;
}

/** The promise of an async iterator. What it brings is looked at in the line's turn. */
class NextItem extends Awaited {
  override fulfilled({ work }: Step, answer: unknown): void {
    (work as Loop).received = { answer };
  }

  override rejected({ work }: Step): void {
    (work as Loop).iterator = null;
  }
}

/** Takes the value that the iterator has given. */
export function takeValue(loop: Loop): any {
  const { value } = loop;
  loop.value = undefined;
  loop.ready = false;
  return value;
}
