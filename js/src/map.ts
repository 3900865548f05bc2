// A map: a parallel step whose branches are the items of a source, of which it has never more than its limit.
//
// - It stands in the run queue itself, once for all items that there is room for. In its turn it takes as many from the source as
//   there is room for then, and each begins with its first turn at once: nothing comes in between, as with branches.
// - An item's line that has ended serves another item: of items that end in their first turn there is only one.
// - Open items are linked in the order of the source, both ways. One whose result can't be delivered yet is open, has no step
//   left, and is marked OK.
// - `over` from the moment on in which a closing has reached it.

import { Awaited } from './awaiting.js';
import { cancelFlow } from './cancel.js';
import { inNode } from './context.js';
import { inContext } from './end.js';
import { CANCELLED, enter, THREW } from './enter.js';
import {
  badArgument,
  checkBoolean,
  checkFunction,
  checkOptions,
  nextOrder,
  type StepError,
} from './error.js';
import { toRecord } from './foreign.js';
import type { MapOptions } from './iasyncsteps.js';
import { ENDED, PENDING, READY, type Waits } from './kind.js';
import type { First, Part, ResultOf, Source, Step as IStep } from './istep.js';
import { takeError } from './latch.js';
import { advance, Loop, startLoop, takeValue } from './loop.js';
import { EACH, KEYS, LIST, PIPE } from './loopmode.js';
import { Branch, BRANCHES, Branches } from './branches.js';
import { BRANCH, BUSY, EXITS, INNER, KEPT, LATCHED, OK } from './phase.js';
import { turn } from './run.js';
import type { QueueNode } from './runqueue.js';
import { ask } from './settle.js';
import type { Step } from './step.js';
import { Definition } from './definition.js';
import { checkPart, partName } from './steps.js';
import { follow, refusePromise, thenOf } from './thenable.js';
import { firstOf, setResults } from './results.js';
import { Closing, type Line, openInner, openInside } from './tree.js';
import { unwind } from './unwind.js';
import { checkLimit } from './waiters.js';

/** An item: its line serves another one when it has ended. */
export class Item extends Branch {
  /** The item that was started before this one, of those that are open. */
  declare elder: Item | null;
  declare index: number;
  /** Its step is queued in it. */
  declare count: number;

  constructor(host: Step) {
    super(host);
    this.elder = null;
    this.index = 0;
    this.count = 0;
  }

  override turn(): void {
    turn(this);
  }

  override end(): void {
    const map: Mapping = this.host.work;
    if (this.index < 0) return map.waited(this);
    const { sink, ordered, list } = map;
    if (sink === null) {
      const value = firstOf(this);
      if (ordered) list[this.index] = value;
      else list.push(value);
      map.branchLeft(this);
    } else if (!ordered) {
      deliver(map, this);
    } else {
      this.bits |= OK;
      for (let next = map.first; next !== null && next.bits & OK; next = map.first) {
        if (!deliver(map, next)) return;
      }
    }
    goOn(map);
  }
}

type Sink = MapOptions['sink'] | null;

export class Mapping extends Branches implements QueueNode {
  slot = -1;
  /** Set when it opens. */
  declare host: Step;
  declare first: Item | null;
  declare last: Item | null;
  /** Lines that have no item. */
  spare: Item | null = null;
  /** Walks through the source. */
  declare readonly loop: Loop;
  declare readonly limit: number;
  declare readonly ordered: boolean;
  declare readonly sink: Sink;
  readonly list: unknown[] = [];
  /** How many items may still be started in this turn; 0 outside of it. */
  room = 0;
  /** Whether a promise of the source's is pending, or a line waits for a value of a channel. */
  pending = false;
  /** What that was rejected with. */
  failure: StepError | null = null;
  /** Whether the source is at its end. */
  ended = false;
  over = false;

  constructor(loop: Loop, limit: number, ordered: boolean, sink: Sink) {
    super();
    this.loop = loop;
    this.limit = limit;
    this.ordered = ordered;
    this.sink = sink;
  }

  override get kind(): string {
    return 'map';
  }

  turn(): void {
    startItems(this);
  }

  override open(line: Line, step: Step): number {
    this.host = step;
    openInner(line, step);
    return ask(step, openSource, this, line);
  }

  waits(): Waits | null {
    if (this.slot >= 0) return { for: 'turn' };
    return this.pending && this.loop.mode !== PIPE ? { for: 'awaitable' } : null;
  }

  /** The promise of its source brings something to it in a turn of its own; unless that is late. */
  waitForNext(step: Step, promise: unknown): void {
    const awaited = new Awaited(step, promise, false);
    this.pending = true;
    this.loop.awaited = awaited;
    follow(
      promise,
      thenOf(promise),
      (answer) => received(awaited, answer),
      (reason) => refused(awaited, reason),
    );
  }

  /** The turn of the line that has waited is the map's: what has come is an item at once. [channel-41] */
  waited(item: Item): void {
    this.pending = false;
    this.loop.source.came(item, this.loop);
    this.branchLeft(item);
    startItems(this);
  }

  /** Gives what its source has failed with in vain. */
  override stop(): StepError | null {
    this.over = true;
    this.loop.cut();
    this.host.line.flow.settings.tool.remove(this);
    const { failure } = this;
    this.failure = null;
    return failure;
  }

  /** The item leaves the list, and its line is free. */
  override branchLeft(item: Item): number {
    const { elder } = item;
    const younger = item.sibling as Item | null;
    if (elder === null) this.first = younger;
    else elder.sibling = younger;
    if (younger === null) this.last = elder;
    else younger.elder = elder;
    item.sibling = this.spare;
    this.spare = item;
    return super.branchLeft(item);
  }

  /** The step is left: what its source gives then may be waited for, if it isn't being asked. */
  exit(step: Step): unknown {
    return this.loop.leave(step, !this.pending);
  }
}

/**
 * Runs its body for each item of a source, with the item and its number, at most `limit` of them at a time, each as a branch of its own.
 * The next item is taken when there is room for it, so the source may be endless, or as slow as an async iterable or a `Channel`, which is
 * at its end when it is closed and empty. A function is called by each run, and gives the source.
 *
 * The result of the step is one value: the array of the first values of the bodies, in the order of the source unless `ordered` is false.
 * With a `sink` they go to that, and there is no result. It ends when the source is at its end and all items have ended. The first error of
 * an item, of the source or of the sink cancels and closes the items, then closes the source, and is the step's; a timeout, a cancel or a
 * failed sibling outside does so, too. A bad option: `InternalError` at the call; what can't be iterated: of the step when it begins.
 * Guide: docs/many-at-once.md#a-list-so-many-at-a-time
 *
 *     const sizes = map(urls, { limit: 8 }, (_asi, url) => fetchSize(url));
 *     const total = sum(await run(sizes));
 */
export function map<V, R>(
  source: Source<Iterable<V> | AsyncIterable<V>>,
  options: MapOptions<First<ResultOf<R>>> & { sink: NonNullable<MapOptions['sink']> },
  body: Part<[item: V, index: number], R>,
): IStep<any, []>;
export function map<V, R>(
  source: Source<Iterable<V> | AsyncIterable<V>>,
  options: MapOptions<First<ResultOf<R>>>,
  body: Part<[item: V, index: number], R>,
): IStep<any, [First<ResultOf<R>>[]]>;
export function map(source: unknown, options: MapOptions, body: unknown): any {
  const { limit, ordered = true, sink } = checkOptions('map', options, 'limit ordered sink');
  checkLimit('map: limit', limit, 1);
  checkBoolean('ordered', ordered);
  if (sink !== undefined) checkFunction('sink', sink);
  const part = checkPart('map', body);
  const map = () => new Mapping(new Loop(EACH, source, part, ''), limit, ordered, sink ?? null);
  return new Definition(BRANCHES | EXITS, map, true, partName(part));
}

/** Throws what becomes the step's error. */
function openSource(map: Mapping, line: Line): number {
  const { loop } = map;
  startLoop(map.host, loop, 'map');
  if (loop.mode === KEYS) badArgument('map', 'an iterable', loop.source);
  line.flow.settings.tool.enqueue(map);
  return PENDING;
}

function startItems(map: Mapping): void {
  const { flow } = map.host.line;
  if (inNode && flow.bits & KEPT) return inContext(flow, startItems, map);
  const { tool } = flow.settings;
  if (map.room === 0) map.room = map.limit - map.active;
  do {
    const item = nextItem(map);
    if (item === null) return;
    turn(item);
    if (map.pending) {
      map.room = 0;
      return;
    }
    if (typeof map.loop.body !== 'function') tool.fuel--; // it may have no body, and starves nobody
    if (map.over) return;
  } while (--map.room > 0 && tool.fuel > 0 && tool.batches);
  if (map.room > 0) tool.queue.unshift(map);
  else goOn(map);
}

/** The next item, ready for its first turn. Null: none can be started now. Asks the source, which is user code. */
function nextItem(map: Mapping): Item | null {
  const { host, failure } = map;
  const { flow } = host.line;
  flow.bits |= BUSY;
  map.failure = null;
  const item = failure === null ? enter(host, advanceMap, host, map) : THREW;
  if (item === THREW) failMap(map, failure ?? takeError(host));
  flow.endPass();
  if (item !== null && item !== CANCELLED && item !== THREW && !map.over) return item;
  map.room = 0;
  goOn(map);
  return null;
}

function advanceMap(host: Step, map: Mapping): Item | null {
  const { loop } = map;
  const round = loop.mode === PIPE ? loop.source.give(loop) : advance(host, loop);
  map.ended = round === ENDED;
  if (round === READY) return start(map);
  return loop.mode === PIPE && round === PENDING ? startWaiting(map) : null;
}

/** A line that waits for the value of the next item, and has no number. */
function startWaiting(map: Mapping): Item {
  const item = nextLine(map);
  map.pending = true;
  item.index = -1;
  map.loop.source.queue(item);
  return item;
}

function received({ step }: Awaited, answer: unknown): void {
  if (step === null) return;
  const map: Mapping = step.work;
  map.pending = false;
  map.loop.received = { answer };
  step.line.flow.settings.tool.resume(map);
}

function refused({ step }: Awaited, reason: unknown): void {
  if (step === null) return;
  const map: Mapping = step.work;
  const { flow } = step.line;
  map.pending = false;
  map.loop.iterator = null;
  flow.bits |= BUSY;
  map.failure = toRecord(reason, step, nextOrder(), true);
  flow.endPass();
  if (!map.over) flow.settings.tool.resume(map);
}

function start(map: Mapping): Item {
  const { loop } = map;
  const index = loop.index++;
  const value = loop.mode === LIST ? loop.source[index] : takeValue(loop);
  const item = nextLine(map);
  openInside(item, loop.body, BRANCH, index);
  item.index = index;
  setResults(item, typeof loop.body === 'function' ? [value, index] : [value]);
  if (map.sink === null && map.ordered) map.list.push(undefined);
  return item;
}

/** The youngest of the open lines. */
function nextLine(map: Mapping): Item {
  const { host, last, spare } = map;
  const item = spare ?? new Item(host);
  map.spare = item.sibling as Item | null;
  item.sibling = null;
  item.elder = last;
  if (last === null) map.first = item;
  else last.sibling = item;
  map.last = item;
  map.active++;
  item.bits = INNER;
  return item;
}

/** Gives a result to the sink, which is user code. Returns whether the map goes on. */
function deliver(map: Mapping, item: Item): boolean {
  const { host } = map;
  const { flow } = host.line;
  const answer = enter(host, callSink, map, item);
  if (flow.bits & LATCHED) cancelFlow(flow);
  if (map.over) return false;
  if (answer === THREW) failMap(map, takeError(host));
  return answer === undefined;
}

function callSink(map: Mapping, item: Item): void {
  const value = firstOf(item);
  map.branchLeft(item);
  refusePromise(map.host, 'sink', map.sink!(value, item.index));
}

/** There may be room for another item, or nothing left to do. */
function goOn(map: Mapping): void {
  if (map.over || map.room > 0 || map.pending) return;
  const { line } = map.host;
  const { tool } = line.flow.settings;
  if (!map.ended) {
    if (map.active < map.limit) tool.enqueue(map);
  } else if (map.active === 0) {
    if (map.sink === null) {
      line.results = 1;
      line.value = map.list;
    }
    tool.enqueue(line);
  }
}

/** The step itself fails, in a turn of the map's or of an item's. */
function failMap({ host }: Mapping, error: StepError): void {
  unwind(host.line, null, new Closing(host, error), null);
}
