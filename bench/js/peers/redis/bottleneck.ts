/** Bottleneck, clustered: each process has a queue of its own, and asks Redis for the first of it. */
import { createRequire } from 'node:module';
import Bottleneck from 'bottleneck';
import { Redis } from 'ioredis';
import { loops, type Program, type Subject, turn } from '../../redis/subject.js';

const expiration = 10_000;

function limitersOf(port: number) {
  const client = new Redis(port);
  const connection = new Bottleneck.IORedisConnection({ client });
  const limiterOf = async (id: string, options: Bottleneck.ConstructorOptions) => {
    const limiter = new Bottleneck({ id, connection, ...options });
    await limiter.ready();
    return limiter;
  };
  return { limiterOf, heard: () => client.ping() };
}

const sections: Program = async (place) => {
  const { limiterOf, heard } = limitersOf(place.port);
  const lock = await limiterOf('lock', { maxConcurrent: 1 });
  const work = async () => {
    const began = place.tally.now();
    await turn();
    place.tally.span(began);
  };
  return loops(place, () => lock.schedule({ expiration }, work), heard);
};

const own: Program = async (place) => {
  const { limiterOf, heard } = limitersOf(place.port);
  const locks = new Map<number, Bottleneck>();
  for (let line = place.first; line < place.first + place.lines; line++)
    locks.set(line, await limiterOf(`lock ${line}`, { maxConcurrent: 1 }));
  return loops(place, (line) => locks.get(line)!.schedule({ expiration }, turn), heard);
};

const admissions: Program = async (place) => {
  const { limiterOf, heard } = limitersOf(place.port);
  const reservoir = { reservoir: 1e9, reservoirRefreshAmount: 1e9, reservoirRefreshInterval: 5000 };
  const rate = await limiterOf('calls', reservoir);
  const admitted = async () => void place.tally.admitted++;
  return loops(place, () => rate.schedule({ expiration }, admitted), heard);
};

export const subject: Subject = {
  name: 'Bottleneck',
  version: createRequire(import.meta.url)('bottleneck/package.json').version,
  programs: { sections, own, admissions },
};
