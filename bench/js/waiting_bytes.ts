import { Crowd } from './crowd.js';
import type { Watch } from './subject.js';
import { settledHeap } from './heap.js';

/** What the heap grows by for each of `size` flows that wait in one step. */
export async function waiting_bytes(size: number, watch: Watch): Promise<number> {
  const crowd = new Crowd(size);
  const before = await settledHeap();
  watch.start();
  await crowd.gather();
  watch.stop();
  watch.bytes = ((await settledHeap()) - before) / size;
  return crowd.dismiss();
}
