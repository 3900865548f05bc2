/** rate-limiter-flexible: counts in Redis, and refuses; nobody waits. */
import { createRequire } from 'node:module';
import { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { entries, loops, type Place, type Subject } from '../../redis/subject.js';

function consume(place: Place, points: number, duration: number) {
  const storeClient = new Redis(place.port);
  const rate = new RateLimiterRedis({ storeClient, points, duration });
  const one = async () => {
    try {
      await rate.consume('calls');
      place.tally.admitted++;
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
    }
  };
  return loops(place, one, () => storeClient.ping());
}

export const subject: Subject = {
  name: 'rate-limiter-flexible',
  version: createRequire(import.meta.url)('rate-limiter-flexible/package.json').version,
  programs: {
    admissions: (place) => consume(place, 1e9, 1),
    refusals: (place) => consume(place, entries, 3600),
  },
};
