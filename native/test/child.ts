// A process of its own, which has to end by itself: its argument says how.

import { AsyncSteps } from 'steptree';
import { load } from '../ts/index.js';
import type { Tried } from './plugin.js';

const [, , path, what] = process.argv;
const plugin = await load<Tried>(path!);
const flow = new AsyncSteps();

const ways: Record<string, () => void> = {
  /** It is loaded, and nothing runs. */
  idle() {},
  /** All calls have ended. */
  ended() {
    flow.add(plugin.step('threaded', 1)).add(plugin.step('delay', 2));
    flow.execute(({ kind }) => console.log(kind));
  },
  /** A native timer of a call that was cancelled doesn't hold it. */
  cancelled() {
    flow.add(plugin.step('delay', 1e9));
    flow.execute(({ kind }) => console.log(kind));
    setImmediate(() => flow.cancel());
  },
  /** It ends in the middle of native steps. */
  exits() {
    flow.add(plugin.step('cleans', 1e9)).execute();
    setImmediate(() => process.exit(3));
  },
  /** An exception that nobody catches. */
  throws() {
    flow.add(plugin.step('forever')).execute();
    setImmediate(() => {
      throw new Error('nobody catches it');
    });
  },
};
ways[what!]!();
