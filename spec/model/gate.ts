/** A gate: open or closed, for everybody. */
import { error } from './accessor.js';
import { addStep, adderOf } from './adding.js';
import type { Guard, Step } from './shape.js';
import { firstOf, grant, wait, type Waiter } from './waiters.js';

export interface Gate extends Guard {
  isOpen: boolean;
  maxQueue: number;
  queue: Waiter[];
}

export interface GateOptions {
  open?: boolean;
  maxQueue?: number;
}

/** [sync-49] [sync-140] [sync-144] */
export function makeGate({ open = true, maxQueue = Number.POSITIVE_INFINITY }: GateOptions): Gate {
  const gate: Gate = {
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

function enter({ isOpen, queue, maxQueue }: Gate, step: Step): void {
  if (isOpen) return;
  if (queue.length >= maxQueue) error(step, 'DefenseRejected'); // [sync-39]
  wait(queue, step, {}, () => {});
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
