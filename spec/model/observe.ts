/** Events: what flows do, told to who observes their tool. The rules of the observe chapter from observe-20 on. */
import type { Why } from './closing.js';
import { pathOf } from './path.js';
import type { Flow, Line, Outcome, Step } from './shape.js';
import { waitsFor } from './shelter.js';
import { kindOf, ofParts, stepsOf, waitOf } from './snapshot.js';
import type { Tool } from './tool.js';

export interface Observer {
  tell: (event: Event) => void;
  bodies: boolean;
}

/** Where it occurs: the step, or none. */
export interface Event {
  flow: Flow;
  step: Step | undefined;
  what: string;
}

/** Of a tool that somebody observes. */
export interface Observation {
  observers: Observer[];
  /** Lines of which something was told. */
  seen: Set<Line>;
  /** Open steps of which `opened` was told; those that nobody sees, too. */
  told: Set<Step>;
}

/** [observe-20] */
export function observe(tool: Tool, observer: Observer): void {
  tool.observed ??= { observers: [], seen: new Set(), told: new Set() };
  tool.observed.observers.push(observer);
}

/** [observe-21] */
export function unobserve(tool: Tool, observer: Observer): void {
  const { observed } = tool;
  if (observed === undefined) return;
  observed.observers = observed.observers.filter((other) => other !== observer);
  if (observed.observers.length === 0) tool.observed = undefined;
}

export function eventText({ flow, step, what }: Event): string {
  const path = step === undefined ? '' : pathOf(step);
  return [flow.name, path, what].filter((word) => word !== '').join(' ');
}

function tell(flow: Flow, step: Step | undefined, what: string, isBody = false): void {
  const observers = flow.tool.observed?.observers ?? [];
  for (const { tell, bodies } of observers) if (bodies || !isBody) tell({ flow, step, what });
}

/** [observe-22] */
export function begun(flow: Flow): void {
  tell(flow, undefined, 'begun');
}

/** [observe-22] */
export function ended(flow: Flow, outcome: Outcome): void {
  const { kind } = outcome;
  tell(flow, undefined, kind === 'error' ? `ended error ${outcome.failure.code}` : `ended ${kind}`);
}

/** [observe-23] */
export function turnBegins(line: Line): void {
  const { flow } = line;
  const { observed } = flow.tool;
  if (observed === undefined || isHidden(line.root)) return;
  if (!observed.seen.has(line)) open(observed, openSteps(line)); // [observe-24]
  observed.seen.add(line);
  if (isStarting(line)) return;
  const innermost = around(line.top).findLast((step) => observed.told.has(step));
  tell(flow, innermost, 'turn');
}

/** [observe-31] */
export function turnEnds(line: Line): void {
  const { flow, top, root } = line;
  const { observed } = flow.tool;
  if (observed === undefined || !flow.running || isHidden(root)) return;
  if (line.closed || top === root) return;
  if (line.queued !== undefined && !isStarting(line)) return;
  const steps = openSteps(line);
  open(observed, steps);
  if (top.kind !== 'parallel') tell(flow, steps.at(-1), `waits ${waitOf(line)}`);
}

/** [observe-30] [observe-32]: code of the program is about to be called. */
export function calls(step: Step, what: string): void {
  const { observed } = step.flow.tool;
  if (observed === undefined || isHidden(step)) return;
  open(observed, around(step)); // [observe-25]
  tell(step.flow, step, what, what === 'body');
}

/** [observe-32] */
export function returned(step: Step): void {
  const { observed } = step.flow.tool;
  if (observed?.told.has(step)) tell(step.flow, step, 'returned', true);
}

/** [observe-26] [observe-28] */
export function closed(step: Step, verdict: Why): void {
  const { observed } = step.flow.tool;
  if (!observed?.told.delete(step)) return;
  const why = waitsFor(step) ?? verdict;
  if (step.hidden) return isBound(step.parent!) ? closed(step.parent!, why) : undefined;
  const left = why.how === 'error' ? `error ${why.failure.code}` : why.how === 'ok' ? 'ok' : 'left';
  tell(step.flow, step, `closed ${left}`);
}

/** It is no more than its part. */
function isBound({ kind, sequence, part, handler }: Step): boolean {
  if (handler !== undefined) return false;
  return sequence?.bound !== undefined || (part !== undefined && ofParts.includes(kind));
}

/** Outermost first. Of one with parts that have no element, that are open in it, the kind is theirs. */
function open(observed: Observation, steps: Step[]): void {
  for (const [at, step] of steps.entries()) {
    if (observed.told.has(step)) continue;
    observed.told.add(step);
    if (step.hidden) continue;
    const inside = steps.slice(at + 1);
    const next = inside.findIndex(({ hidden }) => !hidden);
    const parts = next < 0 ? inside : inside.slice(0, next);
    tell(step.flow, step, `opened ${kindOf([step, ...parts])}`);
  }
}

/** From the outermost one to this. */
function around(step: Step): Step[] {
  const steps: Step[] = [];
  for (let at: Step | undefined = step; at !== undefined; at = at.parent)
    if (at.kind !== 'root') steps.unshift(at);
  return steps;
}

/** As a snapshot shows the line. */
function openSteps({ top, root }: Line): Step[] {
  const shown = top === root ? [] : stepsOf(top.line!);
  return [...(root.parent === undefined ? [] : around(root.parent)), ...shown];
}

/** Its turn is that of a map, which starts items. */
function isStarting({ top: { mapping, handled } }: Line): boolean {
  return mapping?.source !== undefined && !handled;
}

/** [observe-27]: inside of a lock, and where a map waits for what a channel gives. */
function isHidden(step: Step): boolean {
  return around(step).some((at) => at.kind === 'lock') || isTaking(step);
}

function isTaking({ line }: Step): boolean {
  const taking = line?.root.parent?.mapping?.taking;
  return taking !== undefined && taking === line;
}
