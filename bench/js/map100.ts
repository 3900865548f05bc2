import { type IAsyncSteps, map, run } from 'steptree';
import { items, maps100, work, workers } from './requests.js';

const all = map(items, { limit: workers }, (_: IAsyncSteps, n: number) => work(n));

/** 100 async bodies, 8 at a time. */
export const map100 = maps100(() => run(all));
