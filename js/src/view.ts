// The error that user code on the native stack is dealing with. There is at most one, whatever tools there are, which is why
// `StepError.of` finds it without knowing of any: handlers never overlap, and a cancel handler that runs inside a handler belongs to
// another flow, through which no error passes. Only the state of the error's flow shows it.

import type { AsyncSteps } from './asyncsteps.js';
import type { StepError } from './error.js';

export let viewed: StepError | null = null;
/** The flow whose state shows it. */
export let viewer: AsyncSteps | null = null;

/** Shows an error to the flow that it passes through. */
export function view(flow: AsyncSteps, error: StepError): void {
  viewer = flow;
  viewed = error;
}

/** The user's code has returned. */
export function endView(): void {
  viewer = viewed = null;
}
