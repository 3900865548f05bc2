/** A gate: open or closed, for everybody. */
import { addStep, adderOf } from './adding.js';
import { refuseFull, type Title } from './refusal.js';
import type { Guard, Shown, Step } from './shape.js';
import { atGuard, firstOf, grant, wait, type Waiter } from './waiters.js';

export interface Gate extends Guard {
  title: Title;
  shown: Shown;
  isOpen: boolean;
  maxQueue: number;
  queue: Waiter[];
}

export interface GateOptions {
  open?: boolean;
  maxQueue?: number;
  name?: string;
}

/** [sync-49] [sync-140] [sync-144] */
export function makeGate(options: GateOptions): Gate {
  const { open = true, maxQueue = Number.POSITIVE_INFINITY, name = '' } = options;
  const title = { kind: 'gate', name };
  const gate: Gate = {
    title,
    shown: { ...title, says: () => gate.says!(), lines: () => [] },
    isOpen: open,
    maxQueue,
    queue: [],
    lock: (step) => enter(gate, step),
    unlock: () => {},
    waitAt: (step) => addStep(adderOf(step), (inner) => enter(gate, inner)), // [sync-143]
    says: () => ({ waiting: gate.queue.length }),
  };
  return gate;
}

function enter({ isOpen, queue, maxQueue, title, shown }: Gate, step: Step): void {
  if (isOpen) return;
  if (queue.length >= maxQueue) refuseFull(step, title); // [sync-39]
  wait(queue, step, atGuard(shown), {}, () => {});
}

/** [sync-141] [sync-142] */
export function openGate(gate: Gate): void {
  const { queue } = gate;
  gate.isOpen = true;
  for (let first = firstOf(queue); first !== undefined; first = firstOf(queue)) grant(queue, first);
}

/** [sync-142] */
export function closeGate(gate: Gate): void {
  gate.isOpen = false;
}
