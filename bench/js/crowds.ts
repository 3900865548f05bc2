import { settledHeap } from './heap.js';
import type { Program } from './subject.js';

/** Flows of a subject that wait, until they are told to go on. */
export interface Crowd {
  /** Is resolved when they all wait. */
  gather(): Promise<void>;
  /** Gives how many have ended. */
  dismiss(): Promise<number>;
}

type Make = (size: number) => Crowd;

/** What the heap grows by for each of `size` flows that wait in one step. */
export function waitingBytes(make: Make): Program {
  return async (size, watch) => {
    const crowd = make(size);
    const before = await settledHeap();
    watch.start();
    await crowd.gather();
    watch.stop();
    watch.bytes = ((await settledHeap()) - before) / size;
    return crowd.dismiss();
  };
}

/** A program, while `count` flows wait. */
export function beside(make: Make, program: Program): (count: number) => Program {
  return (count) => async (size, watch) => {
    const crowd = make(count);
    await crowd.gather();
    watch.start();
    const done = await program(size, watch);
    watch.stop();
    return (await crowd.dismiss()) === count ? done : -1;
  };
}
