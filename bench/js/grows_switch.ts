import { setImmediate as turn } from 'node:timers/promises';
import { AsyncSteps, type IAsyncSteps, type ICompletion } from 'steptree';
import type { Program } from './subject.js';

/** `count` flows in endless loops, whose iterations wait and are completed from outside; an iteration. */
export function grows_switch(count: number): Program {
  return async (size, watch) => {
    const waiting = new Array<ICompletion | null>(count).fill(null);
    let waits = 0;
    const body = (asi: IAsyncSteps) => {
      waiting[waits++ % count] = asi.waitExternal();
    };
    const flows = Array.from({ length: count }, () => new AsyncSteps().loop(body));
    for (const flow of flows) flow.execute();
    while (waits < count) await turn();
    const rounds = Math.max(2, Math.ceil(size / count));
    let completed = 0;
    watch.start();
    for (let round = 0; round < rounds; round++) {
      for (const completion of waiting) if (completion!.success()) completed++;
      while (waits < completed + count) await turn();
    }
    watch.stop();
    watch.operations = rounds * count;
    for (const flow of flows) flow.cancel();
    return completed === watch.operations ? size : -1;
  };
}
