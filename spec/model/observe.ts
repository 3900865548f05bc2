/** Events: what flows do, told to who observes their tool. The rules of the observe chapter from observe-20 on. */
import type { Why } from './closing.js';
import { pathOf } from './path.js';
import type { Flow, Line, Outcome, Step } from './shape.js';
import { waitsFor } from './shelter.js';
import { kindOf, ofParts, stepsOf, waitOf } from './snapshot.js';

export interface Observation {
  tell: (line: string) => void;
  bodies: boolean;
  /** Lines of which something was told. */
  seen: Set<Line>;
  /** Open steps of which `opened` was told; those that nobody sees, too. */
  told: Set<Step>;
}

export function observation(tell: (line: string) => void, bodies: boolean): Observation {
  return { tell, bodies, seen: new Set(), told: new Set() };
}

function tell(flow: Flow, path: string, what: string): void {
  flow.tool.observed?.tell([flow.name, path, what].filter((word) => word !== '').join(' '));
}

/** [observe-22] */
export function begun(flow: Flow): void {
  tell(flow, '', 'begun');
}

/** [observe-22] */
export function ended(flow: Flow, outcome: Outcome): void {
  const { kind } = outcome;
  tell(flow, '', kind === 'error' ? `ended error ${outcome.failure.code}` : `ended ${kind}`);
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
  tell(flow, innermost === undefined ? '' : pathOf(innermost), 'turn');
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
  if (top.kind !== 'parallel') tell(flow, pathOf(steps.at(-1)!), `waits ${waitOf(line)}`);
}

/** [observe-30] [observe-32]: code of the program is about to be called. */
export function calls(step: Step, what: string): void {
  const { observed } = step.flow.tool;
  if (observed === undefined || isHidden(step)) return;
  open(observed, around(step)); // [observe-25]
  if (what !== 'body' || observed.bodies) tell(step.flow, pathOf(step), what);
}

/** [observe-32] */
export function returned(step: Step): void {
  const { observed } = step.flow.tool;
  if (observed?.bodies && observed.told.has(step)) tell(step.flow, pathOf(step), 'returned');
}

/** [observe-26] [observe-28] */
export function closed(step: Step, verdict: Why): void {
  const { observed } = step.flow.tool;
  if (!observed?.told.delete(step)) return;
  const why = waitsFor(step) ?? verdict;
  if (step.hidden) return isBound(step.parent!) ? closed(step.parent!, why) : undefined;
  const left = why.how === 'error' ? `error ${why.failure.code}` : why.how === 'ok' ? 'ok' : 'left';
  tell(step.flow, pathOf(step), `closed ${left}`);
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
    tell(step.flow, pathOf(step), `opened ${kindOf([step, ...parts])}`);
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
