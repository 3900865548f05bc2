// Steps of JavaScript that native steps call: each call is a flow of its own, inside of the native step that waits for it.
//
// - A call is told inside of the native tool, where nothing of the program may run: its flow begins in a microtask.
// - A cancel runs the cancel handlers before it returns, as that of steps which are JavaScript's does.

import {
  AsyncSteps,
  type Hook,
  type IAsyncSteps,
  type IOutcome,
  type Step,
  StepError,
} from 'steptree';
import type { Binding } from './binding.js';
import { CLOSED, FAILED, ONE } from './binding.js';

/** What the calling flow has. */
export interface Around {
  readonly asi: IAsyncSteps;
  readonly settings: { readonly tool: any; readonly grace: number; readonly report: Hook };
}

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

  begin(step: Step, around: Around | undefined, ms: number, values: readonly any[]): void {
    if (!this.all.has(this.number)) return;
    const options = around === undefined ? {} : { ...around.settings, state: around.asi.state };
    const { tool, grace, report, state } = options as any;
    const flow = new AsyncSteps({ tool, grace, report, state });
    this.flow = flow;
    if (values.length > 0) flow.successStep(...(values as [any]));
    flow.add(ms === Infinity ? step : step.timeout(ms, DEADLINE));
    flow.execute((outcome) => this.over(outcome));
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
    native.served(number, FAILED, error, code, text);
  }
}
