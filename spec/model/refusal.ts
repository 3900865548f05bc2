/** How a guard or a channel says no. */
import { error } from './accessor.js';
import type { Step } from './shape.js';
import type { Refusal } from './thrown.js';

/** Who it is: the kind, and the name that it was given or an empty one. */
export interface Title {
  kind: string;
  name: string;
}

/** [sync-132] [channel-34] */
export function infoOf({ kind, name }: Title, why: string): string {
  return `${name === '' ? kind : `${kind} '${name}'`}: ${why}`;
}

/** Fails the step. [sync-172] [channel-43] */
export function refuse(
  step: Step,
  code: string,
  title: Title,
  why: string,
  more: Refusal = {},
): void {
  error(step, code, infoOf(title, why), { ...more, guard: title.name });
}

/** [sync-39] */
export function refuseFull(step: Step, title: Title, more?: Refusal): void {
  refuse(step, 'DefenseRejected', title, 'the queue is full', more);
}
