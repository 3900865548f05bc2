/** steptree's guards over Redis. */
import type { Guard, IAsyncSteps } from 'steptree';
import { type RedisClient, RedisConnection, RedisMutex, RedisThrottle } from 'steptree/redis';
import { type Add, flows } from './flows.js';
import { entries, type Place, type Program } from './subject.js';

export interface Connected {
  readonly client: RedisClient;
  ping(): Promise<unknown>;
}
export type Connect = (port: number) => Promise<Connected>;

/** In a queue of 100,000 an answer may take long: the server is what is measured. */
const patience = 60_000;

/** The work of a section. */
function work(asi: IAsyncSteps): void {
  const done = asi.waitExternal();
  setImmediate(() => done.success());
}

export function guards(connect: Connect): Record<string, Program> {
  const program =
    (make: (shop: RedisConnection, place: Place) => Add): Program =>
    async (place) => {
      const { client, ping } = await connect(place.port);
      return flows(place, make(new RedisConnection(client, { prefix: 'bench' }), place), ping);
    };

  return {
    sections: program((shop, { tally }) => {
      const mutex = new RedisMutex(shop, 'lock', { patience });
      return (asi) =>
        asi.sync(mutex, (inner) => {
          const began = tally.now();
          inner.add(work).add(() => tally.span(began));
        });
    }),
    own: program((shop, { first, lines }) => {
      const locks = new Map<number, Guard>();
      for (let line = first; line < first + lines; line++)
        locks.set(line, new RedisMutex(shop, `lock ${line}`));
      return (asi, line) => asi.sync(locks.get(line)!, work);
    }),
    admissions: program((shop, { tally }) => {
      const throttle = new RedisThrottle(shop, 'calls', { max: 1e9 });
      return (asi) => asi.sync(throttle, () => void tally.admitted++);
    }),
    refusals: program((shop, { tally }) => {
      const options = { max: entries, period: 3_600_000, maxQueue: 0 };
      const throttle = new RedisThrottle(shop, 'calls', options);
      const enter = (asi: IAsyncSteps) => asi.sync(throttle, () => void tally.admitted++);
      return (asi) =>
        asi.add(enter, (inner, code) => {
          if (code === 'DefenseRejected') inner.success();
        });
    }),
  };
}
