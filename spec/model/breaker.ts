/** A breaker: lets nobody in for a while when too much of what it let in has failed. */
import type { Why } from './closing.js';
import type { Failure } from './failure.js';
import { holds, holdsNot } from './holds.js';
import { linesAround } from './mutex.js';
import { refuse, type Title } from './refusal.js';
import type { Guard, Line, Shown, Step } from './shape.js';
import { misuse } from './thrown.js';
import type { Tool } from './tool.js';
import {
  atGuard,
  type Close,
  firstOf,
  grant,
  refuseWaiting,
  wait,
  type Waiter,
} from './waiters.js';

const isOpen = 'it is open';
const isFull = 'it is half-open, its probe still runs, and the queue is full';

export interface BreakerOptions {
  rate?: number;
  calls?: number;
  period?: number;
  minCalls?: number;
  openFor?: number;
  probes?: number;
  maxQueue?: number;
  name?: string;
  /** Throws, or answers. */
  on?: (failure: Failure) => boolean;
}

interface Call {
  at: number;
  failed: boolean;
}

/** The time in which it has one state: what is let in belongs to it. */
type Phase =
  | { name: 'closed'; calls: Call[] }
  | { name: 'open'; until: number; tool: Tool }
  | { name: 'halfOpen'; succeeded: number };

interface Entry {
  line: Line;
  times: number;
  /** None: it is part of a probe. */
  phase: Phase | undefined;
}

interface Breaker extends Guard {
  shown: Shown;
  options: Required<Omit<BreakerOptions, 'period' | 'on' | 'name'>> & BreakerOptions;
  phase: Phase;
  inside: Entry[];
  queue: Waiter[];
}

/** [sync-49] [sync-169] */
export function makeBreaker(given: BreakerOptions): Guard {
  const { rate = 0.5, calls = 20, period, openFor = 10_000, probes = 1 } = given;
  const { maxQueue = Number.POSITIVE_INFINITY } = given;
  const { minCalls = period === undefined ? Math.min(calls, 10) : 10 } = given;
  const mistaken =
    !(rate > 0 && rate <= 1) ||
    calls > 1_000_000 ||
    (given.calls !== undefined && period !== undefined) ||
    (period === undefined && minCalls > calls);
  if (mistaken) throw misuse('these are no options of a breaker');
  const breaker: Breaker = {
    shown: {
      kind: 'breaker',
      name: given.name ?? '',
      says: () => breaker.says!(),
      lines: () => breaker.inside.map(({ line }) => line),
    },
    options: { ...given, rate, calls, minCalls, openFor, probes, maxQueue },
    phase: { name: 'closed', calls: [] },
    inside: [],
    queue: [],
    lock: (step) => enter(breaker, step),
    unlock: (section, _end, verdict) => left(breaker, section, verdict!),
    says: () => ({
      waiting: breaker.queue.length,
      active: breaker.inside.length,
      state: phaseOf(breaker).name,
    }),
    isNew: (tool) => tool !== undefined && isNew(breaker, tool),
  };
  return breaker;
}

/** [sync-160] [sync-161] [sync-170] */
function phaseOf(breaker: Breaker, tool?: Tool): Phase {
  const { phase } = breaker;
  if (phase.name !== 'open' || (tool ?? phase.tool).now < phase.until) return phase;
  return (breaker.phase = { name: 'halfOpen', succeeded: 0 });
}

function titleOf({ options }: Breaker): Title {
  return { kind: 'breaker', name: options.name ?? '' };
}

/** [sync-187] */
function isNew(breaker: Breaker, { now }: Tool): boolean {
  const { phase, inside, queue } = breaker;
  if (inside.length > 0 || queue.length > 0 || phase.name !== 'closed') return false;
  return windowOf(breaker, phase.calls, now).every(({ failed }) => !failed);
}

/** [sync-39] [sync-150] [sync-162] [sync-176] */
function enter(breaker: Breaker, step: Step): void {
  const { options, queue } = breaker;
  const { tool } = step.flow;
  const line = step.line!;
  const phase = phaseOf(breaker, tool);
  if (tryEnter(breaker, line, phase)) return;
  const no = (why: string, more = {}) =>
    refuse(step, 'DefenseRejected', titleOf(breaker), why, more);
  if (phase.name === 'open') no(isOpen, { retryAfter: phase.until - tool.now });
  if (queue.length >= options.maxQueue) no(isFull);
  wait(queue, step, atGuard(breaker.shown), {}, ({ ok, granted, claimed }: Close) => {
    if (granted && !ok && !claimed) leave(breaker, line); // [sync-18]
    letIn(breaker);
  });
}

/** [sync-151] [sync-163] [sync-167] [sync-179] */
function tryEnter(breaker: Breaker, line: Line, phase: Phase): boolean {
  const { inside } = breaker;
  const entry = inside.find((known) => known.line === line);
  if (entry !== undefined) {
    entry.times++;
    return true;
  }
  const around = linesAround(line);
  if (inside.some((known) => isProbe(known, phase) && around.includes(known.line))) {
    letLineIn(breaker, line, undefined);
    return true;
  }
  if (!admits(breaker, phase)) return false;
  letLineIn(breaker, line, phase);
  return true;
}

function letLineIn(breaker: Breaker, line: Line, phase: Phase | undefined): void {
  breaker.inside.push({ line, times: 1, phase });
  holds(line, { shown: breaker.shown, what: breaker, how: 'call', keep: undefined });
}

function isProbe(entry: Entry, phase: Phase): boolean {
  return phase.name === 'halfOpen' && entry.phase === phase;
}

/** [sync-151] [sync-163] [sync-165] */
function admits({ inside, options }: Breaker, phase: Phase): boolean {
  if (phase.name !== 'halfOpen') return phase.name === 'closed';
  const probing = inside.filter((entry) => isProbe(entry, phase)).length;
  return probing < options.probes - phase.succeeded;
}

/** Somebody has left: what that means to those who wait. [sync-165] [sync-177] [sync-178] */
function letIn(breaker: Breaker): void {
  const { queue, options } = breaker;
  for (let first = firstOf(queue); first !== undefined; first = firstOf(queue)) {
    const { phase } = breaker;
    if (phase.name === 'open') {
      refuseWaiting(queue, first, titleOf(breaker), isOpen, options.openFor);
    } else {
      if (!admits(breaker, phase)) return;
      letLineIn(breaker, first.step.line!, phase);
      grant(queue, first);
    }
  }
}

/** [sync-157] [sync-158] [sync-159] [sync-167] */
function left(breaker: Breaker, section: Step, verdict: Why): void {
  const entry = breaker.inside.find((known) => known.line === section.line)!;
  if (--entry.times > 0) return;
  const counts = entry.phase === breaker.phase && isCall(verdict);
  const { failed, thrown } = counts ? judged(breaker, verdict) : noCall;
  leave(breaker, entry.line);
  if (counts) count(breaker, section.flow.tool, failed);
  letIn(breaker);
  if (thrown !== undefined) throw thrown.value;
}

function leave(breaker: Breaker, line: Line): void {
  breaker.inside = breaker.inside.filter((known) => known.line !== line);
  holdsNot(line, breaker, 'call');
}

const noCall: { failed: boolean; thrown?: { value: unknown } } = { failed: false };

function isCall({ how }: Why): boolean {
  return how !== 'silent' && how !== 'cancelled';
}

/** [sync-155] [sync-156] [sync-168] */
function judged({ options: { on } }: Breaker, verdict: Why): typeof noCall {
  if (verdict.how !== 'error') return { failed: false };
  try {
    return { failed: on === undefined || on(verdict.failure) };
  } catch (value) {
    return { failed: true, thrown: { value } };
  }
}

/** [sync-152] [sync-164] [sync-166] */
function count(breaker: Breaker, tool: Tool, failed: boolean): void {
  const { phase, options } = breaker;
  const { minCalls, rate, openFor, probes } = options;
  if (phase.name === 'closed') {
    phase.calls.push({ at: tool.now, failed });
    const window = windowOf(breaker, phase.calls, tool.now);
    const failures = window.filter((call) => call.failed).length;
    if (window.length < minCalls || failures / window.length < rate) return;
  } else if (phase.name === 'halfOpen' && !failed) {
    if (++phase.succeeded === probes) breaker.phase = { name: 'closed', calls: [] };
    return;
  }
  breaker.phase = { name: 'open', until: tool.now + openFor, tool };
}

/** [sync-153] [sync-154] */
function windowOf({ options: { calls, period } }: Breaker, all: Call[], now: number): Call[] {
  if (period === undefined) return all.slice(-calls);
  const slice = Math.ceil(period / 10);
  const sliceOf = (time: number) => Math.floor(time / slice);
  return all.filter(({ at }) => sliceOf(at) > sliceOf(now) - Math.ceil(period / slice));
}
