// Steps of JavaScript that native steps call: each call is a flow of its own, inside of the native step that waits for it.
//
// - A call is told inside of the native tool, where nothing of the program may run: its flow begins in a microtask.
// - A cancel runs the cancel handlers before it returns, as that of steps which are JavaScript's does.

import {
  AsyncSteps,
  errors,
  type IAsyncSteps,
  type IOutcome,
  type Step,
  StepError,
} from 'steptree';
import type { Binding } from './binding.js';
import { CLOSED, FAILED, ONE } from './binding.js';
import { type Settings, settingsOfFlow, type ToolInside, toolOf } from './engine.js';

/** What the calling flow has. */
export interface Around {
  /** None: it's a flow of the plug-in's own. */
  readonly asi?: IAsyncSteps;
  readonly settings: { readonly tool: ToolInside } & Partial<Settings>;
}

export interface Offered {
  /** Of the service, which its flows have, too. */
  readonly name: string;
  readonly step: Step;
}

/** So many calls of services may stand inside of each other, as where they are steps of one flow. */
const MOST_CALLS = 256;

/** How many stand around those of a flow, by its settings. */
const callsAround = new WeakMap<object, number>();

/** Nobody sees it: the native step around has that deadline, and ends the call. */
const DEADLINE = 'steptree.deadline';

export class Served {
  private readonly native: Binding;
  private readonly number: number;
  private readonly all: Map<number, Served>;
  private flow: AsyncSteps | null = null;

  constructor(native: Binding, number: number, all: Map<number, Served>) {
    this.native = native;
    this.number = number;
    this.all = all;
    all.set(number, this);
  }

  /** What can't begin has failed. */
  begin(offered: Offered, around: Around, ms: number, values: readonly any[]): void {
    if (!this.all.has(this.number)) return;
    try {
      this.execute(offered, around, ms, values);
    } catch (thrown) {
      this.flow = null;
      const { code = errors.InternalError } = StepError.of(thrown) ?? {};
      this.over({ kind: 'error', error: thrown as Error, code, info: textOf(thrown) });
    }
  }

  private execute(
    { name, step }: Offered,
    around: Around,
    ms: number,
    values: readonly any[],
  ): void {
    const { tool, grace, report } = around.settings;
    const state = around.asi?.state;
    const calls = 1 + (callsAround.get(around.settings) ?? 0);
    if (calls > MOST_CALLS) {
      const info = `service '${name}': it is called inside of ${MOST_CALLS} calls of services`;
      throw new StepError(errors.InternalError, info);
    }
    const flow = new AsyncSteps({ name, tool: toolOf(tool), grace, report, state });
    callsAround.set(settingsOfFlow(flow), calls);
    if (values.length > 0) flow.successStep(...(values as [any]));
    flow.add(ms === Infinity ? step : step.timeout(ms, DEADLINE));
    flow.execute((outcome) => this.over(outcome));
    this.flow = flow;
  }

  /** Whether that takes time. */
  cancel(): boolean {
    this.flow?.cancel();
    if (this.flow?.running()) return true;
    this.all.delete(this.number);
    return false;
  }

  private over({ kind, values, error, code, info }: IOutcome & { info?: string }): void {
    if (!this.all.has(this.number) || code === DEADLINE) return;
    this.all.delete(this.number);
    const { native, number } = this;
    if (kind === 'cancelled') return native.served(number, CLOSED);
    if (kind === 'ok') return native.served(number, ONE, ...values!);
    const text = StepError.of(error)?.info ?? info ?? '';
    native.served(number, FAILED, error, code, text, causesOf(error));
  }
}

/** More than that nobody reads; and it may be a ring. */
const DEEPEST = 16;

/** What native handlers see behind it: code and info of each, without a code it's a foreign one. */
function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  try {
    let at = (error as Error).cause;
    for (; at != null && causes.length < 2 * DEEPEST; at = (at as Error).cause)
      causes.push(codeOf(at), textOf(at));
  } catch {
    // It can't be read.
  }
  return causes;
}

function codeOf(cause: unknown): string {
  const { code } = StepError.of(cause) ?? (cause as { code?: unknown });
  return typeof code === 'string' ? code : '';
}

function textOf(cause: unknown): string {
  const known = StepError.of(cause)?.info;
  if (typeof known === 'string') return known;
  return cause instanceof Error ? String(cause.message) : String(cause);
}
