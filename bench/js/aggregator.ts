/**
 * The scenario `aggregator`: a page of three ids needs two calls each, of two services in memory. At most `callsAtOnce` calls run; each
 * has a deadline, and up to three attempts; so has the request, whose failure or end stops what still runs.
 */
import { type Request, requests } from './requests.js';
import type { Program } from './subject.js';

export const callsAtOnce = 128;
export const attempts = 3;

/** In milliseconds: of an attempt, and of the request. */
export interface Deadlines {
  readonly call: number;
  readonly page: number;
}

interface Call {
  readonly key: string;
  readonly fails: boolean;
  readonly signal: AbortSignal;
  readonly stop: () => void;
  readonly resolve: (answer: string) => void;
  readonly reject: (reason: unknown) => void;
}

/** Of so many users one is refused at first. */
const refusals = 10;
const refused = new Set<number>();

function refuses(service: string, id: number): boolean {
  if (service !== 'user' || id % refusals !== 0 || refused.delete(id)) return false;
  refused.add(id);
  return true;
}

let pending: Call[] = [];

function answerAll(): void {
  const now = pending;
  pending = [];
  for (const { key, fails, signal, stop, resolve, reject } of now) {
    signal.removeEventListener('abort', stop);
    if (fails) reject(Object.assign(new Error(`refused: ${key}`), { code: 'ECONNREFUSED' }));
    else resolve(`<${key}>`);
  }
}

/** Answers in the next turn of the event loop, unless the signal stops it. Ids below 0 get no answer. */
export function call(service: string, id: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (id < 0) return;
    const fails = refuses(service, id);
    pending.push({ key: `${service}/${id}`, fails, signal, stop, resolve, reject });
    if (pending.length === 1) setImmediate(answerAll);
  });
}

export const both = (user: string, cart: string): string => `${user}, ${cart}`;
export const pageOf = (parts: readonly string[]): string => parts.join('\n');

/** No two requests have one in common. */
const idsOf = (id: number): readonly number[] => [3 * id, 3 * id + 1, 3 * id + 2];

export function aggregators(make: (deadlines: Deadlines) => Request<readonly number[]>): Program {
  const shape = {
    atATime: 64,
    given: idsOf,
    expected: (id: number) =>
      pageOf(idsOf(id).map((each) => both(`<user/${each}>`, `<cart/${each}>`))),
    endless: [-1],
  };
  return requests(shape, make, { call: 2_000, page: 5_000 }, [
    { call: 5_000, page: 2 },
    { call: 2, page: 5_000 },
  ]);
}
