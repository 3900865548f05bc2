/** The queue of a guard or channel: steps that wait for it, each by a completion of its own. */
import { waitExternal } from './accessor.js';
import { type Completion, completeOk, completionValid, sayError } from './external.js';
import { infoOf, type Title } from './refusal.js';
import type { Shown, Step, Values, WaitsAt } from './shape.js';

export interface Waiter {
  step: Step;
  completion: Completion;
  /** Has it been let in? */
  granted: boolean;
}

/** How a step that has waited closes. */
export interface Close {
  ok: boolean;
  granted: boolean;
  /** Its ok was claimed: the line had the grant, even if it hasn't moved ([sync-17]). */
  claimed: boolean;
}

/** What a snapshot says of one who waits for a guard of ours. [observe-9] */
export function atGuard(guard: Shown, kind = guard.kind): Omit<WaitsAt, 'place'> {
  return { what: 'guard', guard, kind, name: guard.name };
}

/** [sync-32]: the step waits at this place of the queue, and leaves it when it closes ([sync-40]); `closes` hears of that. */
export function wait<W extends object>(
  queue: (Waiter & W)[],
  step: Step,
  at: Omit<WaitsAt, 'place'>,
  more: W,
  closes: (close: Close, waiter: Waiter & W) => void,
  index = queue.length,
): void {
  const waiter = { step, completion: waitExternal(step), granted: false, ...more };
  step.lost.push((ok, claimed) => {
    remove(queue, waiter);
    closes({ ok, claimed, granted: waiter.granted }, waiter);
  });
  queue.splice(index, 0, waiter);
  step.waitsAt = { ...at, place: () => queue.indexOf(waiter) + 1 };
}

function remove<T>(queue: T[], thing: T): void {
  const i = queue.indexOf(thing);
  if (i >= 0) queue.splice(i, 1);
}

/** [sync-33] [channel-9]: the first one that can still be let in; those before it, which wait for nothing any more, go. */
export function firstOf<W extends Waiter>(queue: W[]): W | undefined {
  while (queue.length > 0 && !completionValid(queue[0]!.completion)) queue.shift();
  return queue[0];
}

/** [sync-34] [channel-11]: the line goes to the tail, as after any claim. */
export function grant(queue: Waiter[], waiter: Waiter, values: Values = []): void {
  remove(queue, waiter);
  waiter.granted = true;
  completeOk(waiter.completion, values);
}

/** [sync-178]: the line goes to the tail with the error. */
export function refuseWaiting(
  queue: Waiter[],
  waiter: Waiter,
  title: Title,
  why: string,
  retryAfter: number,
): void {
  remove(queue, waiter);
  const refusal = { retryAfter, guard: title.name };
  sayError(waiter.step, 'DefenseRejected', infoOf(title, why), undefined, refusal);
}
