/** What the search shows without scrolling to those who ask with their own words. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { output, version } from '../make/root.js';
import { finderOf } from '../page/finding.js';

const asked: Readonly<Record<string, string>> = {
  'add a timeout': 'docs/deadlines.html',
  'how to set a deadline': 'docs/deadlines.html',
  timeout: 'docs/deadlines.html',
  dedline: 'docs/deadlines.html docs/production.html',
  'cancel when client disconnects': 'index.html docs/server.html',
  'graceful shutdown': 'docs/production.html docs/jobs.html docs/server.html',
  'how do I log the request id': 'docs/recipes.html',
  'pip install': 'index.html docs/python.html',
  'what does Deadlock mean': 'api/cpp/codes.html',
  setTimeout: 'api/ts/iasyncsteps.html api/cpp/iasyncsteps.html',
  waitExternal: 'api/ts/iasyncsteps.html api/cpp/iasyncsteps.html',
  semaphore: 'spec/sync.html api/cpp/mutex.html api/ts/mutex.html',
  'concurrency limit': 'api/ts/limiter.html api/cpp/limiter.html docs/limits.html',
  cmake: 'docs/packages.html',
  systemd: 'docs/service.html',
  'deploy with docker': 'docs/service.html',
  'a python http server': 'docs/service.html docs/python.html docs/server.html',
  metrics: 'api/ts/metrics.html api/cpp/metrics.html',
};

describe('the search', () => {
  const find = finderOf(JSON.parse(readFileSync(join(output, version, 'search.json'), 'utf8')));

  for (const [question, pages] of Object.entries(asked))
    it(`answers "${question}" with a page that does, among the first four`, () => {
      const first = find(question).slice(0, 4);
      const found = first.map(({ id }) => id.replace(/#.*/, ''));
      expect(found.filter((page) => pages.split(' ').includes(page))).to.not.deep.equal([]);
    });

  it('finds nothing for nothing', () => expect(find('  ')).to.deep.equal([]));
  it('finds words that say little when there is nothing else', () =>
    expect(find('all of them')).to.not.deep.equal([]));
});
