/** redlock: locks that are asked for again and again. */
import { createRequire } from 'node:module';
import { Redis } from 'ioredis';
import { loops, type Place, type Subject, turn } from '../../redis/subject.js';
import { versionOf } from '../versionof.js';

const ttl = 10_000;

/** Its own types can't be found by its exports. */
interface Locks {
  acquire(resources: string[], ttl: number): Promise<{ release(): Promise<unknown> }>;
  on(event: 'error', listener: () => void): void;
}
type Options = Record<'retryCount' | 'retryDelay' | 'retryJitter', number>;
const Redlock: new (clients: Redis[], options: Options) => Locks = createRequire(import.meta.url)(
  'redlock',
).default;

function sections(place: Place, nameOf: (line: number) => string, isOne: boolean) {
  const client = new Redis(place.port);
  const locks = new Redlock([client], { retryCount: -1, retryDelay: 10, retryJitter: 10 });
  locks.on('error', () => {}); // that somebody has the lock is said here, too
  const section = async (line: number) => {
    const lock = await locks.acquire([nameOf(line)], ttl);
    const began = place.tally.now();
    await turn();
    if (isOne) place.tally.span(began);
    await lock.release();
  };
  return loops(place, section, () => client.ping());
}

export const subject: Subject = {
  name: 'redlock',
  version: versionOf('redlock', '../../package.json').replace('v', ''),
  programs: {
    sections: (place) => sections(place, () => 'lock', true),
    own: (place) => sections(place, (line) => `lock ${line}`, false),
  },
};
