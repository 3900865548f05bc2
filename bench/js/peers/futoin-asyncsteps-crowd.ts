/** Flows of futoin-asyncsteps that wait, many at a time. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Crowd as Waiting } from '../crowds.js';
import type { Program } from '../subject.js';
import { $as, type Steps } from './futoin-asyncsteps-api.js';

export class Crowd implements Waiting {
  readonly #steps: (Steps | null)[];
  #waiting = 0;
  #ended = 0;

  constructor(size: number) {
    this.#steps = new Array<Steps | null>(size).fill(null);
  }

  async gather(): Promise<void> {
    const body = (as: Steps) => {
      as.waitExternal();
      this.#steps[this.#waiting++] = as;
    };
    const end = () => {
      this.#ended++;
    };
    for (let i = 0; i < this.#steps.length; i++) $as().add(body).add(end).execute();
    while (this.#waiting < this.#steps.length) await turn();
  }

  async dismiss(): Promise<number> {
    for (const as of this.#steps) as!.success();
    while (this.#ended < this.#steps.length) await turn();
    return this.#ended;
  }
}

export function grows_switch(count: number): Program {
  return async (size, watch) => {
    const waiting = new Array<Steps | null>(count).fill(null);
    let waits = 0;
    const body = (as: Steps) => {
      as.waitExternal();
      waiting[waits++ % count] = as;
    };
    const flows = Array.from({ length: count }, () => $as().loop(body));
    for (const flow of flows) flow.execute();
    while (waits < count) await turn();
    const rounds = Math.max(2, Math.ceil(size / count));
    watch.start();
    for (let round = 1; round <= rounds; round++) {
      for (const as of waiting) as!.success();
      while (waits < (round + 1) * count) await turn();
    }
    watch.stop();
    watch.operations = rounds * count;
    for (const flow of flows) flow.cancel();
    return waits === (rounds + 1) * count ? size : -1;
  };
}
