// The end of an execution: the flow is idle first, then it is told, from an immediate of its own.

import type { AsyncSteps } from './asyncsteps.js';
import { reasonOf } from './child.js';
import { type Context, contextOfNow, inNode, noContext } from './context.js';
import { codeOf, type StepError } from './error.js';
import { keepRecord } from './errorchain.js';
import type { IOkOutcome, IOutcome } from './iasyncsteps.js';
import { IDLE, KEPT, LIVE, OBSERVED, TELLS } from './phase.js';
import { callHook, reportAt } from './report.js';
import type { listen } from './signal.js';
import { Callback, type ToolCore } from './toolcore.js';
import { clearResults, type Slot, listOf } from './results.js';
import { type Closing, drop } from './tree.js';

export type Done = (outcome: IOutcome) => void;

/** A cancel that was asked for, and who is to be told of it. */
export class CancelRequest {
  declare readonly told: Done | null;
  declare readonly reason: string | undefined;
  /** What the signal was aborted with. */
  declare readonly cause: unknown;

  constructor(told: Told, reason: string | undefined, cause: unknown) {
    this.told = told as Done | null;
    this.reason = reason;
    this.cause = cause;
  }
}

/** The flow listens to a signal, or has a context, or some wait for it to be closed; who is told before them. */
class RunObservers {
  declare told: Told;
  readonly closed: (() => void)[] = [];
  listener: ReturnType<typeof listen> | null = null;
  context: Context | null = null;

  constructor(told: Told) {
    this.told = told;
  }
}

type Told = Done | CancelRequest | null;
/** Who is to be told of the end. */
export type Ending = Told | RunObservers;

/** Of flows without values, which is most of them. */
const EMPTY: IOkOutcome = /* @__PURE__ */ Object.freeze({
  kind: 'ok',
  values: /* @__PURE__ */ Object.freeze([]),
});

/** Of the flow that has just ended; in it is told how. */
let contextOfEnd: Context | null = null;

/** What it throws is the tool's business in that context, too. */
function tellingIn(context: Context, tool: ToolCore, told: (what: any) => void) {
  return (what: unknown) => context.runInAsyncScope(tool.call<any>, tool, told, what);
}

/** A cancel was asked for, and decides what is told. */
export function endCancelled(flow: AsyncSteps, reason: string | undefined, cause: unknown): void {
  const { ending } = flow;
  if (ending instanceof RunObservers) ending.told = new CancelRequest(ending.told, reason, cause);
  else if (ending !== null || reason !== undefined)
    flow.ending = new CancelRequest(ending as Told, reason, cause);
}

/** What closes all of a flow is its cancel; a winner or what has failed further out is none. */
export function cancelOf({ ending }: AsyncSteps, { stop }: Closing): CancelRequest | null {
  const told = ending instanceof RunObservers ? ending.told : ending;
  return stop === null && told instanceof CancelRequest ? told : null;
}

export function observersOf(flow: AsyncSteps): RunObservers {
  if (!(flow.ending instanceof RunObservers)) flow.ending = new RunObservers(flow.ending);
  return flow.ending;
}

/** Whether a signal ends it. */
export function isListening({ ending }: AsyncSteps): boolean {
  return ending instanceof RunObservers && ending.listener !== null;
}

/** What the flow calls from now on is called in the context of now, or in none, if any is in use. */
export function keepContext(flow: AsyncSteps, keep: boolean): void {
  const context = keep ? contextOfNow() : noContext();
  if (context === null) return;
  observersOf(flow).context = context;
  flow.bits |= KEPT;
}

/** Calls what calls user code of the flow. Its context ends with the flow, which may be executed again before this returns. */
export function inContext<T>(flow: AsyncSteps, fn: (what: T) => void, what: T): void {
  const ending = flow.ending as RunObservers;
  flow.bits ^= KEPT;
  ending.context!.runInAsyncScope(fn, null, what);
  if (flow.ending === ending) flow.bits |= KEPT;
}

/** Tells when nothing of the flow is open any more. */
export function tellClosed(flow: AsyncSteps, closed: () => void): void {
  if (flow.bits & IDLE) tellSoon(flow.settings.tool, closed);
  else observersOf(flow).closed.push(closed);
}

/** From an immediate of its own. */
export function tellSoon(tool: ToolCore, told: () => void): void {
  tool.enqueue(new Callback(tool, told, 0));
}

type Finish<F> = (flow: AsyncSteps, failure: F) => void;

function tellAll<F>(flow: AsyncSteps, ending: RunObservers, finish: Finish<F>, failure: F): void {
  const { told, closed, listener, context } = ending;
  try {
    listener?.delete(flow);
  } catch (thrown) {
    reportAt({ hook: flow.settings.report, path: '' }, thrown);
  }
  flow.ending = told;
  contextOfEnd = context;
  finish(flow, failure);
  contextOfEnd = null;
  const { tool } = flow.settings;
  if (flow.bits & TELLS) tool.enqueue(flow);
  for (const each of closed) tellSoon(tool, each);
}

/** Who hears of the end by a promise. */
export function settling(resolve: (value: any) => void, reject: (reason: unknown) => void): Done {
  return (outcome) => {
    if (outcome.kind === 'ok') resolve(outcome.values[0]);
    else reject(reasonOf(outcome));
  };
}

/** Nothing is open or queued any more. */
export function finishOk(flow: AsyncSteps): void {
  const { ending } = flow;
  if (ending === null) becomeIdle(flow);
  else if (typeof ending === 'function') endWith(flow, ending, okOutcome(flow));
  else tellAll(flow, ending as RunObservers, finishOk, undefined);
}

export function finishError(flow: AsyncSteps, failure: StepError): void {
  const { ending, settings } = flow;
  if (ending instanceof RunObservers) return tellAll(flow, ending, finishError, failure);
  const unheard = () => callHook(settings.unhandled, failure);
  const error = keepRecord(failure);
  endWith(flow, (ending as Done | null) ?? unheard, {
    kind: 'error',
    error,
    code: codeOf(failure),
  });
  settings.tool.enqueue(flow);
}

export function finishCancelled(flow: AsyncSteps): void {
  const { ending, settings } = flow;
  if (ending instanceof RunObservers) return tellAll(flow, ending, finishCancelled, undefined);
  if (ending === null || (ending as CancelRequest).told === null) return becomeIdle(flow);
  const { told, reason, cause } = ending as CancelRequest;
  endWith(flow, told!, cancelledOutcome(reason, cause));
  settings.tool.enqueue(flow);
}

/** The flow is idle. Till it has told of its end it stands in the queue, or its turn goes on with that. */
function endWith(flow: AsyncSteps, told: Done, outcome: IOutcome): void {
  becomeIdle(flow, outcome);
  flow.bits = IDLE | TELLS;
  flow.ending =
    inNode && contextOfEnd !== null ? tellingIn(contextOfEnd, flow.settings.tool, told) : told;
  flow.results = 1;
  flow.value = outcome;
}

/** Tells of the end of the flow; it isn't its business any more. */
export function tell(flow: AsyncSteps): void {
  const { ending, value, settings } = flow;
  forgetEnd(flow);
  settings.tool.call<any>(ending as Done, value);
}

/** It is executed again before it has told of its end. */
export function tellApart(flow: AsyncSteps): void {
  const { ending, value, settings } = flow;
  const { tool } = settings;
  tool.queue.replace(flow, new Callback(tool, () => (ending as Done)(value as IOutcome), 0));
  forgetEnd(flow);
}

function forgetEnd(flow: AsyncSteps): void {
  flow.bits = IDLE;
  flow.ending = null;
  clearResults(flow);
}

/** It goes on to be live, or has ended: if nobody waits for the tool, the next turn is the flow's as well. */
export function afterTurn(flow: AsyncSteps): void {
  const { bits, settings } = flow;
  const { tool } = settings;
  if (bits & TELLS) {
    if (!tool.batches || tool.fuel <= 0 || !tool.queue.isEmpty()) return tool.enqueue(flow);
    tool.fuel--;
    tell(flow);
  } else if ((bits & (IDLE | LIVE)) === 0) {
    flow.bits |= LIVE;
    tool.remember(flow);
  }
}

export function okOutcome(slot: Slot): IOkOutcome {
  return slot.results === 0 ? EMPTY : { kind: 'ok', values: listOf(slot) };
}

export function cancelledOutcome(reason: string | undefined, cause: unknown): IOutcome {
  return {
    kind: 'cancelled',
    ...(reason !== undefined && { reason }),
    ...(cause !== undefined && { cause }),
  };
}

function endSeen(flow: AsyncSteps, outcome?: IOutcome): void {
  flow.settings.tool.watching?.ended(flow, outcome);
}

/** As new, but for the state. */
function becomeIdle(flow: AsyncSteps, outcome?: IOutcome): void {
  if (flow.bits & OBSERVED) endSeen(flow, outcome);
  if (flow.bits & LIVE) flow.settings.tool.forget(flow);
  flow.bits = IDLE;
  if (flow.tail !== null) drop(flow);
  flow.count = 0;
  flow.program = null;
  flow.latch = null;
  flow.ending = null;
  clearResults(flow);
}
