/** What a search for "node limit retry timeout" leads to: p-limit, p-retry, `AbortSignal.any` and `AbortSignal.timeout`. */
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import { aggregators, attempts, both, call, callsAtOnce, pageOf } from '../aggregator.js';
import { items, maps100, requests3, work, workers } from '../requests.js';
import type { Subject } from '../subject.js';
import { versionOf } from './versionof.js';

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

const request3 = requests3((ms) => async (n, outer) => {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(ms)]);
  const bodies = async () => {
    let value = n;
    for (let i = 0; i < 3; i++) {
      value = await work(value);
      signal.throwIfAborted();
    }
    return value;
  };
  return Promise.race([bodies(), untilAborted(signal)]);
});

const map100 = maps100(() => pLimit(workers).map(items, work));

const aggregator = aggregators((deadlines) => {
  const limit = pLimit(callsAtOnce);
  const load = (service: string, id: number, signal: AbortSignal) => {
    const attempt = () =>
      call(service, id, AbortSignal.any([signal, AbortSignal.timeout(deadlines.call)]));
    const options = { retries: attempts - 1, minTimeout: 0, signal };
    return pRetry(() => limit(attempt), options);
  };
  return async (ids, outer) => {
    const failed = new AbortController();
    const signal = AbortSignal.any([outer, failed.signal, AbortSignal.timeout(deadlines.page)]);
    const part = async (id: number) =>
      both(...(await Promise.all([load('user', id, signal), load('cart', id, signal)])));
    try {
      return pageOf(await Promise.all(ids.map(part)));
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  };
});

export const subject: Subject = {
  name: 'p-limit, p-retry, AbortSignal',
  version: `p-limit ${versionOf('p-limit', 'package.json')}, p-retry ${versionOf('p-retry', 'package.json')}`,
  programs: { request3, map100, aggregator },
};
