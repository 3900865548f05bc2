/** The virtual tool: one queue of lines and immediates, timers between its passes, a clock that jumps. */
import type { Observation } from './observe.js';
import type { Order } from './order.js';
import { makeRandom } from './random.js';
import type { Flow, Line } from './shape.js';
import { misuse } from './thrown.js';

/** Something in the queue: an immediate, or the turn of a line. */
export interface Entry {
  call: () => void;
  /** Immediates of the program count for the clock, as bodies do ([tool-19]). */
  counts: boolean;
  pending: boolean;
  /** An order leaves those of one kind as they stand: callbacks, or the branches of one step that haven't begun. */
  kind: object | undefined;
}

/** Immediates of the program, and those that tell how a flow has ended. */
export const callbacks = {};

export interface Timer extends Entry {
  due: number;
  armed: number;
}

export interface Tool {
  now: number;
  /** When timers were looked at last. */
  looked: number;
  /** When `busy` began to count. */
  instant: number;
  queue: Entry[];
  /** What is left of the pass. */
  pass: Entry[];
  timers: Timer[];
  /** Of who observes: they come behind all else of their instant, and are no work. [observe-62] */
  alarms: Timer[];
  /** How many timers were armed so far. */
  armed: number;
  /** How many bodies and immediates have run at this instant. */
  busy: number;
  /** What settlements do once the callback in which they happened is over ([promise-19]). */
  after: (() => void)[];
  /** How many things have happened that have an order: errors ([error-40]). */
  events: number;
  running: boolean;
  /** The trace is full. */
  stopped: boolean;
  /** Is the user code on top of the native stack a cancel handler or an unlock()? */
  undoing: boolean;
  /** The flows whose cancel waits for the end of the closing that goes on ([cancel-25]). */
  asked: (() => void)[] | undefined;
  random: () => number;
  order: Order | undefined;
  /** [observe-20] */
  observed: Observation | undefined;
  /** The line that has the turn. */
  turn: unknown;
  /** The lines whose turns aren't over, and those that have called code of the program that is on the stack. */
  onStack: (Line | undefined)[];
  /** Those that run, and how many first turns of flows are over. */
  flows: Flow[];
  begun: number;
}

/** [tool-33] */
export function makeTool(seed = 0, order?: Order): Tool {
  return {
    now: 0, // [tool-16]
    looked: 0,
    instant: 0,
    queue: [],
    pass: [],
    timers: [],
    alarms: [],
    armed: 0,
    busy: 0,
    after: [],
    events: 0,
    running: false,
    stopped: false,
    undoing: false,
    asked: undefined,
    random: makeRandom(seed),
    order,
    observed: undefined,
    turn: undefined,
    onStack: [],
    flows: [],
    begun: 0,
  };
}

/** [tool-1] [tool-2] [tool-3]: to the tail of the one queue; a pass has taken its part of it before. */
export function immediate(tool: Tool, call: () => void, counts = true): Entry {
  return put(tool, { call, counts, pending: true, kind: callbacks });
}

/** The turn of a line; of a branch that begins, with the step that it belongs to. */
export function lineTurn(tool: Tool, call: () => void, kind?: object): Entry {
  return put(tool, { call, counts: false, pending: true, kind });
}

/** The turn that goes on as the next one, as if it had not ended. */
export function goesOnFirst(tool: Tool, call: () => void): Entry {
  const entry = { call, counts: false, pending: true, kind: undefined };
  tool.pass.unshift(entry);
  return entry;
}

function put(tool: Tool, entry: Entry): Entry {
  tool.queue.push(entry);
  return entry;
}

/** [tool-10] [tool-11]; delays are rounded up to whole milliseconds ([timeout-20], [tool-14]). */
export function deferred(tool: Tool, delay: number, call: () => void): Timer {
  if (!(delay >= 0)) throw misuse('a delay is a number from 0 up');
  const timer = timerIn(tool, delay, call);
  tool.timers.push(timer);
  return timer;
}

/** [observe-62] */
export function alarm(tool: Tool, delay: number, call: () => void): Timer {
  const timer = timerIn(tool, delay, call);
  tool.alarms.push(timer);
  return timer;
}

function timerIn(tool: Tool, delay: number, call: () => void): Timer {
  const due = tool.now + Math.ceil(delay);
  return { call, counts: false, pending: true, kind: undefined, due, armed: tool.armed++ };
}

/** [tool-36] */
export function armedTimers(tool: Tool): number {
  return tool.timers.filter((timer) => timer.due < Infinity).length;
}

/** [tool-7] [tool-8]: what isn't pending any more is left alone. */
export function cancelEntry(tool: Tool, entry: Entry): void {
  entry.pending = false;
  tool.timers = tool.timers.filter((timer) => timer !== entry);
  tool.alarms = tool.alarms.filter((timer) => timer !== entry);
}

/** [tool-17] [tool-18] [tool-20] */
export function run(tool: Tool): void {
  if (tool.running) throw misuse('the tool runs already'); // [tool-12]
  tool.running = true;
  settleAll(tool);
  while (!tool.stopped && (isReady(tool) || tool.timers.length > 0 || ring(tool, tool.now + 1))) {
    if (tool.order !== undefined) callChosen(tool, tool.order);
    else {
      if (!isReady(tool)) jump(tool);
      else {
        if (isLate(tool)) fireDue(tool);
        pass(tool, nextPass(tool));
      }
      fireDue(tool);
    }
    if (isReady(tool)) ring(tool, tool.now);
  }
  tool.running = false;
}

/** The first alarm that is due before that. [observe-62] */
function ring(tool: Tool, before: number): boolean {
  const [first] = tool.alarms
    .filter(({ due }) => due < before)
    .sort((a, b) => a.due - b.due || a.armed - b.armed);
  if (first === undefined) return false;
  if (first.due > tool.now) moveTo(tool, first.due);
  callBack(tool, first);
  return true;
}

function isReady(tool: Tool): boolean {
  return rest(tool).length > 0 || tool.queue.length > 0;
}

/** What a late pass has left over, unless a timer has just ended all of it: or the queue. */
function nextPass(tool: Tool): Entry[] {
  return rest(tool).length > 0 ? tool.pass : tool.queue.splice(0);
}

function rest(tool: Tool): Entry[] {
  tool.pass = tool.pass.filter((entry) => entry.pending);
  return tool.pass;
}

/** [tool-3] [tool-19] [tool-56]: what a late pass leaves over is the next one. */
function pass(tool: Tool, entries: Entry[]): void {
  tool.pass = entries;
  for (let late = false; tool.pass.length > 0 && !late;) {
    const entry = tool.pass.shift()!;
    if (entry.counts && entry.pending) tool.busy++;
    const runs = entry.pending;
    callBack(tool, entry);
    late = runs && isLate(tool);
  }
  passed(tool);
}

/** [tool-19] */
function passed(tool: Tool): void {
  if (tool.now !== tool.instant) moveTo(tool, tool.now);
  else if (tool.busy >= 256) moveTo(tool, tool.now + 1);
}

/** [tool-56]: work has taken time, and a timer is due. */
export function isLate({ now, looked, timers }: Tool): boolean {
  return now > looked && timers.some(({ due }) => due <= now);
}

/** [tool-57] */
export function elapse(tool: Tool, ms: number): void {
  if (!(ms >= 0) || ms === Infinity) throw misuse('a time is a finite number from 0 up');
  tool.now += Math.ceil(ms);
}

function jump(tool: Tool): void {
  passed(tool); // without anything to call
  const due = Math.min(...tool.timers.map((timer) => timer.due));
  if (ring(tool, due === Infinity ? tool.now + 1 : due)) return;
  if (due > tool.now) moveTo(tool, due);
}

function moveTo(tool: Tool, time: number): void {
  tool.now = tool.instant = tool.looked = time;
  tool.busy = 0;
}

function fireDue(tool: Tool): void {
  for (const timer of dueTimers(tool)) callBack(tool, timer);
}

/** [tool-4] [tool-5] [tool-6]: those that are due and were armed before this round, by their times and the order of arming. */
function dueTimers(tool: Tool): Timer[] {
  tool.looked = tool.now;
  const due = tool.timers.filter((timer) => timer.due <= tool.now);
  return due.sort((a, b) => a.due - b.due || a.armed - b.armed);
}

/** [tool-38]: a round of one timer, or a pass of one alternative. */
function callChosen(tool: Tool, order: Order): void {
  const ready = tool.queue.filter((entry) => entry.pending);
  tool.queue = ready;
  const alternatives = [...dueTimers(tool).slice(0, 1), ...ready.filter(isFirst)];
  if (alternatives.length === 0) return tool.timers.length > 0 ? jump(tool) : undefined;
  const chosen = alternatives[order.choose(alternatives.length)]!;
  if ('due' in chosen) {
    callBack(tool, chosen);
    return passed(tool);
  }
  const isTaken = (entry: Entry) => entry === chosen || begins(entry, chosen);
  tool.queue = ready.filter((entry) => !isTaken(entry));
  pass(tool, ready.filter(isTaken));
  tool.queue.unshift(...tool.pass.splice(0));
}

/** Of its kind. */
function isFirst({ kind }: Entry, place: number, entries: Entry[]): boolean {
  return kind === undefined || entries.findIndex((entry) => entry.kind === kind) === place;
}

/** [tool-42]: with the chosen one, as a branch of the same step. */
function begins({ kind }: Entry, chosen: Entry): boolean {
  return kind === chosen.kind && kind !== undefined && kind !== callbacks;
}

/** [tool-9]: inside the callback it isn't pending any more. */
function callBack(tool: Tool, entry: Entry): void {
  if (!entry.pending || tool.stopped) return;
  cancelEntry(tool, entry);
  entry.call();
  settleAll(tool);
}

/** [promise-19] [promise-20]: after the callback, in the order in which they happened. */
export function settleAll(tool: Tool): void {
  for (let reaction = tool.after.shift(); reaction !== undefined; reaction = tool.after.shift()) {
    reaction();
  }
}
