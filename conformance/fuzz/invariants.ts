/** What holds in every trace, whatever the program is. */
import type { Program } from '../case.js';
import { askedAt, freeLine, ownGuards, probe } from './probes.js';
import { brokenSnapshots } from './snapshots.js';
import { flowsRunOnce, idsUnder, type Level, type StaticStep } from './steps.js';

/** What doesn't hold, in words. */
export function brokenInvariants(program: Program, trace: readonly string[]): string[] {
  if (trace.at(-1) === 'truncated') return [];
  const lines = trace.map((line) => line.replace(/(^[^ !~>]*)[!~>]?( .*)?$/, '$1'));
  const places = placesOf(lines);
  const found = new Set<string>();
  for (const [flow, level] of flowsRunOnce(program)) {
    if (flow === probe) continue;
    if (!inOrder(level, places)) found.add('a step goes on after the next one has begun');
    if (endsTwice(flow, trace)) found.add('a flow ends twice');
    const end = trace.findIndex((line) => isEnd(flow, line));
    const last = lastOf(level.steps, places);
    if (end >= 0 && last > end) found.add('a step goes on after the end of its flow');
  }
  if (!timersAreGone(trace)) found.add('a timer is left when all flows have ended');
  if (!guardsAreFree(program, trace)) found.add('a guard is not free when all flows have ended');
  if (runsAfterCancel(program, trace)) found.add('a flow runs long after it was cancelled');
  return [...found, ...brokenSnapshots(program, trace)];
}

interface Places {
  readonly first: number;
  readonly last: number;
}

function placesOf(lines: readonly string[]): ReadonlyMap<string, Places> {
  const places = new Map<string, Places>();
  for (const [at, id] of lines.entries()) {
    places.set(id, { first: places.get(id)?.first ?? at, last: at });
  }
  return places;
}

function lastOf(steps: readonly StaticStep[], places: ReadonlyMap<string, Places>): number {
  return Math.max(-1, ...idsUnder(steps).map((id) => places.get(id)?.last ?? -1));
}

/** Steps of one level come one after another, each with all that is under it. */
function inOrder(level: Level, places: ReadonlyMap<string, Places>): boolean {
  let last = -1;
  for (const step of level.steps) {
    const firsts = idsUnder([step]).map((id) => places.get(id)?.first ?? Infinity);
    if (Math.min(...firsts) <= last) return false;
    last = Math.max(last, lastOf([step], places));
  }
  return level.steps.every((step) => stepInOrder(step, places));
}

function stepInOrder(step: StaticStep, places: ReadonlyMap<string, Places>): boolean {
  return (
    step.levels.every((level) => inOrder(level, places)) &&
    step.branches.every((branch) => stepInOrder(branch, places))
  );
}

function isEnd(flow: string, line: string): boolean {
  return /^\S+ (ok|error|cancelled|resolved|rejected)\b/.test(line) && line.startsWith(`${flow} `);
}

function endsTwice(flow: string, trace: readonly string[]): boolean {
  return trace.filter((line) => isEnd(flow, line)).length > 1;
}

function allHaveEnded(trace: readonly string[]): boolean {
  return !trace.some((line) => / (running=true|waiting)$/.test(line));
}

function timersAreGone(trace: readonly string[]): boolean {
  const asked = trace.indexOf(`@${askedAt}`);
  const left = trace.slice(asked).find((line) => line.startsWith('timers='));
  return asked < 0 || left === undefined || left === 'timers=0' || !allHaveEnded(trace);
}

/** A line that goes on may hold what it likes. */
const isGraceOver = (line: string) => / report Timeout$/.test(line);

function guardsAreFree(program: Program, trace: readonly string[]): boolean {
  const text = JSON.stringify(program);
  if (!(probe in program.flows) || !allHaveEnded(trace)) return true;
  const asked = text.includes(`"execute":"${probe}"`);
  // A native step that cleans up and was given up, as its grace is over, has its place for as long as it goes on.
  const isGivenUp = text.includes('"name":"native"') && trace.some(isGraceOver);
  return (
    !asked || isGivenUp || ownGuards(program).every((guard) => trace.includes(freeLine(guard)))
  );
}

/** A flow that is cancelled goes on for as long as its cleanups and shields may, which is not long here. */
function runsAfterCancel(program: Program, trace: readonly string[]): boolean {
  const { events } = program;
  const list = (events ?? []) as { readonly at: number; readonly do: readonly unknown[] }[];
  const cancelled = list.filter(({ at }) => at === endAt).flatMap((event) => event.do);
  const isCancelled = (flow: string) =>
    cancelled.some((action) => (action as { cancel?: unknown }).cancel === flow);
  return [...flowsRunOnce(program).keys()].some(
    (flow) => isCancelled(flow) && trace.includes(`${flow} waiting`),
  );
}

/** When a generated program cancels all its flows. */
export const endAt = 300;
