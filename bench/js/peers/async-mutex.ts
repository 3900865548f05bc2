/** async-mutex: one mutex, used by `runExclusive`. */
import { createRequire } from 'node:module';
import { Mutex } from 'async-mutex';
import { growing, type Subject } from '../subject.js';
import { alone, contended } from './guards.js';

const mutex = new Mutex();
const run = (work: () => Promise<void>) => mutex.runExclusive(work);
const queued = contended(run);

export const subject: Subject = {
  name: 'async-mutex',
  version: createRequire(import.meta.url)('async-mutex/package.json').version,
  programs: { lock: alone(run), ...growing('lock_contended', ['1k'], queued) },
};
