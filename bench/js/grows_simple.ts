import { Crowd } from './crowd.js';
import { simple } from './simple.js';
import type { Program } from './subject.js';

/** `simple`, while `count` other flows wait. */
export function grows_simple(count: number): Program {
  return async (size, watch) => {
    const crowd = new Crowd(count);
    await crowd.gather();
    watch.start();
    const done = await simple(size);
    watch.stop();
    return (await crowd.dismiss()) === count ? done : -1;
  };
}
