// The end of an execution: the flow is idle first, then it is told, from an immediate of its own.

import type { AsyncSteps } from './asyncsteps.js';
import { errors } from './codes.js';
import { type Context, contextOfNow, inNode, noContext } from './context.js';
import { codeOf, StepError } from './error.js';
import { keepRecord } from './errorchain.js';
import type { IOkOutcome, IOutcome } from './iasyncsteps.js';
import { IDLE, KEPT } from './phase.js';
import { callHook, reportAt } from './report.js';
import type { QueueNode } from './runqueue.js';
import type { listen } from './signal.js';
import type { ToolCore } from './toolcore.js';
import { clearResults, drop, type Values } from './tree.js';

export type Done = (outcome: IOutcome) => void;

/** What `promise()` waits with. */
export class Settlement {
  declare readonly resolve: (value: any) => void;
  declare readonly reject: (reason: unknown) => void;

  constructor(resolve: (value: any) => void, reject: (reason: unknown) => void) {
    this.resolve = resolve;
    this.reject = reject;
  }
}

/** A cancel that was asked for, and who is to be told of it. */
export class CancelRequest {
  declare readonly told: Done | Settlement | null;
  declare readonly reason: string | undefined;
  /** What the signal was aborted with. */
  declare readonly cause: unknown;

  constructor(told: Told, reason: string | undefined, cause: unknown) {
    this.told = told as Done | Settlement | null;
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

type Told = Done | Settlement | CancelRequest | null;
/** Who is to be told of the end. */
export type Ending = Told | RunObservers;

/** Of every flow that ends well; a class keeps its instances alike. */
class OkOutcome implements IOkOutcome {
  declare readonly kind: 'ok';
  declare readonly values: readonly unknown[];

  constructor(values: readonly unknown[]) {
    this.kind = 'ok';
    this.values = values;
  }
}

/** That of flows without values, which is most of them. */
const EMPTY = /* @__PURE__ */ Object.freeze(
  /* @__PURE__ */ new OkOutcome(/* @__PURE__ */ Object.freeze([])),
);

/** Of the flow that has just ended; in it is told how. */
let contextOfEnd: Context | null = null;

/** The immediate that tells one thing to one function. */
class Notification implements QueueNode {
  declare slot: number;
  declare private readonly tool: ToolCore;
  declare private readonly told: (what: any) => void;
  declare private readonly what: unknown;
  declare private readonly context?: Context | null;

  constructor(tool: ToolCore, told: (what: any) => void, what: unknown) {
    this.slot = -1;
    this.tool = tool;
    this.told = told;
    this.what = what;
    if (inNode) this.context = contextOfEnd;
    tool.enqueue(this);
  }

  turn(): void {
    if (inNode && this.context) this.context.runInAsyncScope(() => this.tell(), null);
    else this.tell();
  }

  private tell(): void {
    this.tool.call(this.told, this.what);
  }

  get isCallback(): boolean {
    return true;
  }
}

/** A cancel was asked for, and decides what is told. */
export function endCancelled(flow: AsyncSteps, reason: string | undefined, cause: unknown): void {
  const { ending } = flow;
  if (ending instanceof RunObservers) ending.told = new CancelRequest(ending.told, reason, cause);
  else if (ending !== null || reason !== undefined)
    flow.ending = new CancelRequest(ending as Told, reason, cause);
}

/** Of a cancel that is performed. */
export function reasonOfCancel({ ending }: AsyncSteps): string | undefined {
  const told = ending instanceof RunObservers ? ending.told : ending;
  return told instanceof CancelRequest ? told.reason : undefined;
}

export function observersOf(flow: AsyncSteps): RunObservers {
  if (!(flow.ending instanceof RunObservers)) flow.ending = new RunObservers(flow.ending);
  return flow.ending;
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
  if (flow.bits & IDLE) new Notification(flow.settings.tool, closed, undefined);
  else observersOf(flow).closed.push(closed);
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
  for (const each of closed) new Notification(flow.settings.tool, each, undefined);
}

/** Nothing is open or queued any more. */
export function finishOk(flow: AsyncSteps): void {
  const { ending } = flow;
  if (typeof ending !== 'function' && ending instanceof RunObservers)
    return tellAll(flow, ending, finishOk, undefined);
  const { tool } = flow.settings;
  flow.bits = IDLE;
  flow.count = 0;
  flow.ending = null;
  if (typeof ending === 'function') {
    new Notification(tool, ending, outcomeOf(flow));
  } else if (ending !== null) {
    const { results, value } = flow;
    new Notification(
      tool,
      (ending as Settlement).resolve,
      results > 1 ? (value as Values).r0 : value,
    );
  }
  clearResults(flow);
}

export function finishError(flow: AsyncSteps, failure: StepError): void {
  const { ending, settings } = flow;
  if (ending instanceof RunObservers) return tellAll(flow, ending, finishError, failure);
  const { tool } = settings;
  const exception = keepRecord(failure);
  becomeIdle(flow);
  if (typeof ending === 'function') {
    new Notification(tool, ending, { kind: 'error', error: exception, code: codeOf(failure) });
  } else if (ending instanceof Settlement) {
    new Notification(tool, ending.reject, exception);
  } else {
    new Notification(tool, () => callHook(settings.unhandled, failure), null);
  }
}

export function finishCancelled(flow: AsyncSteps): void {
  const { ending, settings } = flow;
  if (ending instanceof RunObservers) return tellAll(flow, ending, finishCancelled, undefined);
  const { tool } = settings;
  becomeIdle(flow);
  if (ending === null) return;
  const { told, reason, cause } = ending as CancelRequest;
  if (told instanceof Settlement) {
    new Notification(tool, told.reject, new StepError(errors.Canceled, reason, cause));
  } else if (told !== null) {
    new Notification(tool, told, {
      kind: 'cancelled',
      ...(reason !== undefined && { reason }),
      ...(cause !== undefined && { cause }),
    });
  }
}

function outcomeOf({ results, value }: AsyncSteps): OkOutcome {
  if (results === 0) return EMPTY;
  if (results === 1) return new OkOutcome([value]);
  const { r0, r1, r2, r3 } = value as Values;
  return new OkOutcome([r0, r1, r2, r3].slice(0, results));
}

/** As new, but for the state. */
function becomeIdle(flow: AsyncSteps): void {
  flow.bits = IDLE;
  drop(flow);
  flow.count = 0;
  flow.latch = null;
  flow.ending = null;
  clearResults(flow);
}
