/** A breaker: lets nobody in for a while when too much of what it let in has failed. */
import type { Why } from './closing.js';
import type { Failure } from './failure.js';
import { refuse } from './refusal.js';
import type { Guard, Line, Step } from './shape.js';
import { misuse } from './thrown.js';
import type { Tool } from './tool.js';

export interface BreakerOptions {
  rate?: number;
  calls?: number;
  period?: number;
  minCalls?: number;
  openFor?: number;
  probes?: number;
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
  phase: Phase;
}

interface Breaker extends Guard {
  options: Required<Omit<BreakerOptions, 'period' | 'on' | 'name'>> & BreakerOptions;
  phase: Phase;
  inside: Entry[];
}

/** [sync-49] [sync-169] */
export function makeBreaker(given: BreakerOptions): Guard {
  const { rate = 0.5, calls = 20, period, openFor = 10_000, probes = 1 } = given;
  const { minCalls = period === undefined ? Math.min(calls, 10) : 10 } = given;
  const mistaken =
    !(rate > 0 && rate <= 1) ||
    calls > 1_000_000 ||
    (given.calls !== undefined && period !== undefined) ||
    (period === undefined && minCalls > calls);
  if (mistaken) throw misuse('these are no options of a breaker');
  const breaker: Breaker = {
    options: { ...given, rate, calls, minCalls, openFor, probes },
    phase: { name: 'closed', calls: [] },
    inside: [],
    lock: (step) => enter(breaker, step),
    unlock: (section, _end, verdict) => left(breaker, section, verdict!),
    says: () => ({
      waiting: 0,
      active: breaker.inside.length,
      state: phaseOf(breaker).name,
    }),
  };
  return breaker;
}

/** [sync-160] [sync-161] [sync-170] */
function phaseOf(breaker: Breaker, tool?: Tool): Phase {
  const { phase } = breaker;
  if (phase.name !== 'open' || (tool ?? phase.tool).now < phase.until) return phase;
  return (breaker.phase = { name: 'halfOpen', succeeded: 0 });
}

/** [sync-150] [sync-151] [sync-162] [sync-163] [sync-167] */
function enter(breaker: Breaker, step: Step): void {
  const { inside, options } = breaker;
  const { tool } = step.flow;
  const line = step.line!;
  const entry = inside.find((known) => known.line === line);
  if (entry !== undefined) {
    entry.times++;
    return;
  }
  const phase = phaseOf(breaker, tool);
  const title = { kind: 'breaker', name: options.name ?? '' };
  const isOpen = (more = {}) => refuse(step, 'DefenseRejected', title, 'it is open', more);
  if (phase.name === 'open') isOpen({ retryAfter: phase.until - tool.now });
  if (phase.name === 'halfOpen') {
    const probing = inside.filter((known) => known.phase === phase).length; // [sync-165]
    if (probing >= options.probes - phase.succeeded) isOpen();
  }
  inside.push({ line, times: 1, phase });
}

/** [sync-157] [sync-158] [sync-159] [sync-167] */
function left(breaker: Breaker, section: Step, verdict: Why): void {
  const entry = breaker.inside.find((known) => known.line === section.line)!;
  if (--entry.times > 0) return;
  const counts = entry.phase === breaker.phase && isCall(verdict);
  const { failed, thrown } = counts ? judged(breaker, verdict) : noCall;
  breaker.inside = breaker.inside.filter((known) => known !== entry);
  if (counts) count(breaker, section.flow.tool, failed);
  if (thrown !== undefined) throw thrown.value;
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
