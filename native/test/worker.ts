// A worker thread: it calls a plug-in as long as it is told to, or ends in the middle.

import { parentPort, workerData } from 'node:worker_threads';
import { AsyncSteps, step } from 'steptree';
import { counts, load, offer } from '../ts/index.js';
import type { Tried } from './plugin.js';

const { path, what } = workerData as { path: string; what: string };
const plugin = await load<Tried>(path);
const flow = new AsyncSteps();

if (what === 'ends') {
  const all: unknown[] = [];
  offer(
    'same',
    step((asi, value) => asi.success(value)),
  );
  flow.repeat(100, (asi, i) => {
    const asks = plugin.step('ask', 'same', i);
    asi
      .add(i % 3 ? plugin.step(i % 2 ? 'threaded' : 'echo', i) : asks)
      .add((_, value) => void all.push(value));
  });
  flow.execute(({ kind }) => parentPort!.postMessage([kind, all, counts().calls]));
} else if (what === 'waits') {
  flow.add(plugin.step('cleans', 1e9));
  flow.execute();
  setImmediate(() => parentPort!.postMessage('waits'));
} else {
  // Terminated in the middle of a call, or between two.
  flow.loop((asi) => {
    asi.add(plugin.step('echo', { list: [1, 2, 3], bytes: Buffer.alloc(100) }));
    asi.add(plugin.step('threaded', Buffer.alloc(10)));
  });
  flow.execute();
  setImmediate(() => parentPort!.postMessage('runs'));
}
