import { setTimeout as pause } from 'node:timers/promises';

/** Bytes of the heap, once all that has ended is collected: what just ended is still held by the turn that ended it. */
export async function settledHeap(): Promise<number> {
  await pause(20);
  globalThis.gc!();
  return process.memoryUsage().heapUsed;
}
