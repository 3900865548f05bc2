// The bodies of steps that wait: what they wait for takes their place in the step. They are kept from then on when somebody has asked where
// bodies were written, so that nobody else pays for it.

import type { Step } from './step.js';

/** Is told of a step whose body is to be replaced. */
type Keeper = (step: Step) => void;

/** Undefined: nobody has asked. */
export let keepBody: Keeper | undefined;

export function keepBodiesBy(keeper: Keeper): void {
  keepBody = keeper;
}
