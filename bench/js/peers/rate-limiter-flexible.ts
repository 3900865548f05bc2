/** rate-limiter-flexible: its limiter in memory, for one key; it limits the rate, not how many are in. */
import { createRequire } from 'node:module';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Subject } from '../subject.js';
import { alone } from './guards.js';

const rate = new RateLimiterMemory({ points: 1e9, duration: 1 });

export const subject: Subject = {
  name: 'rate-limiter-flexible',
  version: createRequire(import.meta.url)('rate-limiter-flexible/package.json').version,
  programs: {
    limiter: alone(async (work) => {
      await rate.consume('key');
      await work();
    }),
  },
};
