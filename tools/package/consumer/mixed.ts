// Compiled only: what is made with the types of `require` fits those of `import`.
import { type Channel, run, type Scope, type StepError, steps, sync } from 'steptree';
import { body, channel, failure, mutex, plus, scope } from './required.cjs';

const both = steps(
  () => 1,
  plus,
  sync(mutex, body),
  (_asi, n) => n.toFixed(),
);
export const text: Promise<string> = run(both);
export const one: Promise<number> = run(plus.with(1));
export const same: [Channel<number>, Scope, StepError] = [channel, scope, failure];
// @ts-expect-error a number isn't a text
steps(() => 'text', plus);
