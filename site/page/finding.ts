// What the search finds, and what comes first: pages that teach, then the reference and the rules, then what is about the project.

import MiniSearch, { type Query, type SearchOptions, type SearchResult } from 'minisearch';
import type { Entry } from '../make/searching.js';
import { wordsOf } from './asked.js';

/** What others call it, and what it's called here; a page may have either. */
const sameAs: Readonly<Record<string, string>> = {
  abort: 'cancel',
  abortcontroller: 'signal',
  backpressure: 'channel',
  bulkhead: 'limiter',
  concurrency: 'limiter',
  container: 'service',
  debounce: 'throttle',
  deploy: 'service',
  deployment: 'service',
  disconnect: 'client gone',
  disconnects: 'client gone',
  docker: 'service',
  express: 'server',
  fastapi: 'server python',
  finally: 'defer cleanup',
  graceful: 'drain shutdown',
  kubernetes: 'service',
  lock: 'mutex',
  logging: 'log',
  parallel: 'all',
  postpone: 'delay',
  ratelimit: 'throttle',
  semaphore: 'mutex limiter',
  sigterm: 'drain',
  sleep: 'delay',
  shutdown: 'drain',
  stuck: 'hangs',
  timeout: 'deadline',
  timeouts: 'deadline',
};

/** By the beginning of an address: how much its words count. */
const weights: readonly (readonly [string, number])[] = [
  ['docs/what-became-what', 0.3],
  ['docs/all', 0.5],
  ['docs/coming-from/', 0.5],
  ['docs/', 2],
  ['index.html', 1.5],
  ['api/', 1.2],
  ['eslint/', 0.7],
  ['spec/', 0.7],
  ['', 0.15],
];

export type Finder = (asked: string) => Entry[];

export function finderOf(entries: readonly Entry[]): Finder {
  const options: SearchOptions = {
    boost: { title: 4, page: 3 },
    boostDocument: (id: string) => weights.find(([from]) => id.startsWith(from))![1],
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 4 ? 0.15 : false),
  };
  const index = new MiniSearch<Entry>({
    fields: ['title', 'page', 'text'],
    storeFields: ['page', 'title', 'text'],
    searchOptions: options,
  });
  index.addAll(entries);
  return (asked) => {
    const queries = wordsOf(asked).map(queryOf);
    const withAll = new Set(index.search({ combineWith: 'AND', queries }).map(({ id }) => id));
    // What has all of the words counts twice what has some.
    const weight = ({ id, score }: SearchResult) => (withAll.has(id) ? 2 * score : score);
    return index
      .search({ combineWith: 'OR', queries })
      .sort((a, b) => weight(b) - weight(a)) as unknown as Entry[];
  };
}

function queryOf(word: string): Query {
  const others = sameAs[word.toLowerCase()]?.split(' ') ?? [];
  const weaker = others.map((other) => ({
    queries: [other],
    boost: { title: 3, page: 2 },
    prefix: false,
    fuzzy: false,
  }));
  return { combineWith: 'OR', queries: [word, ...weaker] };
}
