// What goes on though its step is closed: a promise that can't be cancelled. Until it has settled it keeps the places that its lines had
// in guards, and what it fails with is told. It knows nothing of its flow but the hook and a path: it may never settle.

import { errors } from './codes.js';
import { isInvalidUse, nextOrder, raiseAt, StepError } from './error.js';
import { type Hold, keep, letGo } from './holds.js';
import type { Hook, ISignal } from './iasyncsteps.js';
import { GIVEN } from './phase.js';
import { callHook, type Place, placeOf } from './report.js';
import { toRecord } from './foreign.js';
import type { Step } from './step.js';
import type { Timer } from './timers.js';
import type { ToolCore } from './toolcore.js';

/** Places in guards that are kept. Its timer tells that it takes longer than the grace. */
class KeptPlaces implements Timer {
  due = 0;
  order = 0;
  place = -1;
  declare private readonly holds: readonly Hold[];
  declare private readonly tool: ToolCore;
  declare private readonly where: Place;

  constructor(holds: readonly Hold[], tool: ToolCore, where: Place) {
    this.holds = holds;
    this.tool = tool;
    this.where = where;
  }

  fire(): void {
    const { hook, path } = this.where;
    const error = new StepError(errors.Timeout, 'what was abandoned here still keeps its places');
    callHook(hook, raiseAt(error, path, nextOrder()));
  }

  over(): void {
    this.tool.disarm(this);
    letGo(this.holds);
  }
}

/** One object for all: a promise that never settles keeps one of them for each step that has awaited it. */
export class Abandoned {
  declare private readonly kept: KeptPlaces | null;
  /** What is told of its failure; null: nobody is. */
  declare private readonly hook: Hook | null;
  declare private readonly path: string;
  declare private readonly signal: ISignal | undefined;

  constructor(kept: KeptPlaces | null, hook: Hook | null, path: string, signal?: ISignal) {
    this.kept = kept;
    this.hook = hook;
    this.path = path;
    this.signal = signal;
  }

  /** It has settled. */
  over(): void {
    this.kept?.over();
  }

  failed(awaitable: object, reason: unknown): void {
    this.over();
    const { hook, path } = this;
    if (hook === null || told.has(awaitable) || this.wasStopped(reason)) return;
    told.add(awaitable);
    callHook(hook, toRecord(reason, path, nextOrder(), true));
  }

  /** It failed because it was stopped. Looks at what is the user's. */
  private wasStopped(reason: any): boolean {
    try {
      if (isInvalidUse(reason) || (this.signal && this.signal.reason === reason)) return true;
      return reason.name === 'AbortError' || reason.code === errors.Canceled;
    } catch {
      return false;
    }
  }
}

/** Awaitables whose failure was told: several steps may have awaited them. */
const told = /* @__PURE__ */ new WeakSet<object>();

/** The step is left while it awaits. `stops`: that was asked to stop, and says itself when it has; how isn't the step's business. */
export function abandon(step: Step, stops: boolean): Abandoned | null {
  const { line, options } = step;
  const { grace, tool } = line.flow.settings;
  const kept = keep(line);
  const tells = !stops && (step.bits & GIVEN) === 0;
  if (kept === null && !tells) return null;
  const where = placeOf(step);
  let places: KeptPlaces | null = null;
  if (kept !== null) {
    places = new KeptPlaces(kept, tool, where);
    if (!stops && grace !== Infinity) tool.arm(places, grace);
  }
  const { hook, path } = where;
  return new Abandoned(places, tells ? hook : null, path, options?.aborter?.signal);
}
