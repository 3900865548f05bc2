/** An owner of flows, which closes them together: the rules of the owners chapter. */
import { error } from './accessor.js';
import { adderOfFlow, stepOf } from './adding.js';
import { cancelFlow, execute, tell, whenClosed } from './flow.js';
import type { Flow, Outcome } from './shape.js';
import type { Signal } from './signal.js';
import { put, type Value } from './steps.js';
import { misuse } from './thrown.js';
import { cancelEntry, deferred, type Entry, type Tool } from './tool.js';

export interface Scope {
  tool: Tool;
  /** Makes a flow with the options of the scope. [owners-17] */
  makeFlow: () => Flow;
  state: 'open' | 'draining' | 'closed';
  /** In the order of their starts; each until its end is told. */
  flows: Flow[];
  waiting: ((cancelled: number) => void)[];
  /** How many flows closing it has met. */
  met: number;
  limit: Entry | undefined;
}

export function makeScope(tool: Tool, makeFlow: () => Flow): Scope {
  return { tool, makeFlow, state: 'open', flows: [], waiting: [], met: 0, limit: undefined };
}

/** [owners-1] */
export function start(
  flow: Flow,
  value: Value,
  told: ((outcome: Outcome) => void) | undefined,
  signal: Signal | undefined,
): void {
  put(adderOfFlow(flow), value);
  execute(flow, told, signal);
}

/** [owners-9] */
export function closedValue(): Value {
  return stepOf({
    body: (step) => error(step, 'Closed', 'the scope drains, or is closed'),
    part: undefined,
  });
}

/** [owners-4] */
export function own(scope: Scope, flow: Flow): void {
  scope.flows.push(flow);
  whenClosed(flow, () => leave(scope, flow));
}

/** [owners-8] */
function leave(scope: Scope, flow: Flow): void {
  scope.flows = scope.flows.filter((other) => other !== flow);
  if (scope.state === 'open' || scope.flows.length > 0) return;
  forgetLimit(scope);
  for (const told of scope.waiting.splice(0)) told(scope.met);
}

/** [owners-5] [owners-11] [owners-22] */
export function close(scope: Scope, reason: string, ended?: (cancelled: number) => void): void {
  const { state, flows } = scope;
  if (ended !== undefined) whenEnded(scope, ended);
  scope.state = 'closed';
  forgetLimit(scope);
  if (state === 'closed') return;
  scope.met = flows.length;
  for (const flow of [...flows]) if (flow.running) cancelFlow(flow, reason);
}

/** [owners-6] [owners-10] [owners-12] */
export function drain(
  scope: Scope,
  ms: number,
  reason: string,
  ended: (cancelled: number) => void,
): void {
  if (!(ms >= 0)) throw misuse('drain: expected a number of milliseconds');
  if (scope.state !== 'closed') {
    scope.state = 'draining';
    forgetLimit(scope);
    if (scope.flows.length > 0) scope.limit = deferred(scope.tool, ms, () => close(scope, reason));
  }
  whenEnded(scope, ended);
}

function forgetLimit(scope: Scope): void {
  if (scope.limit !== undefined) cancelEntry(scope.tool, scope.limit);
  scope.limit = undefined;
}

/** [owners-7] [owners-8] */
function whenEnded(scope: Scope, ended: (cancelled: number) => void): void {
  if (scope.flows.length > 0) scope.waiting.push(ended);
  else tell(scope.tool, () => ended(scope.met));
}
