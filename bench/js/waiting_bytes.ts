import { Crowd } from './crowd.js';
import type { Watch } from './subject.js';

/** What the heap grows by for each of `size` flows that wait in one step. */
export async function waiting_bytes(size: number, watch: Watch): Promise<number> {
  const crowd = new Crowd(size);
  globalThis.gc!();
  const before = process.memoryUsage().heapUsed;
  watch.start();
  await crowd.gather();
  watch.stop();
  globalThis.gc!();
  watch.bytes = (process.memoryUsage().heapUsed - before) / size;
  return crowd.dismiss();
}
