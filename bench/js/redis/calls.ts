/** steptree's calls over Redis. */
import { call, RedisConnection, RedisService, serve } from 'steptree/redis';
import { flows } from './flows.js';
import type { Connect } from './guards.js';
import { concurrency, type Program } from './subject.js';

interface Chains {
  /** The number after that one. */
  next(chain: number, number: number): number;
}

/** Each line calls one after the other; whichever process has room serves it. */
export function calls(connect: Connect): Program {
  return async (place) => {
    const { tally } = place;
    const { client, ping } = await connect(place.port);
    const shop = new RedisConnection(client, { prefix: 'bench' });
    const service = new RedisService<Chains>(shop, 'chains');
    serve(
      service,
      {
        next: (asi, [chain, number]) => {
          if (tally.isOver) return void asi.waitExternal(); // nobody counts any more
          tally.job(chain, number);
          asi.success(number + 1);
        },
      },
      { concurrency: concurrency(place), report: (error) => tally.fail(error) },
    );
    const numbers = new Map<number, number>();
    return flows(
      place,
      (asi, chain) => {
        const number = numbers.get(chain) ?? 0;
        asi.add(call(service, 'next', [chain, number])).add((_asi, next: number) => {
          if (next !== number + 1) throw new Error(`${next} was answered, to ${number}`);
          numbers.set(chain, next);
        });
      },
      ping,
    );
  };
}
