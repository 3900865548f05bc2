import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { builtPlugin } from './plugin.js';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

describe('processes and threads with native steps', function () {
  this.timeout(120_000);
  let path: string;
  before(() => {
    path = builtPlugin();
  });

  const ended = async (what: string) => {
    const args = ['--import', 'tsx', here('child.ts'), path, what];
    const run = promisify(execFile)(process.execPath, args, { timeout: 60_000 });
    return run.then(
      ({ stdout }) => [0, stdout.trim()],
      ({ code, signal, stdout }) => [signal ?? code, stdout.trim()],
    );
  };
  for (const [what, code, said] of [
    ['idle', 0, ''],
    ['ended', 0, 'ok'],
    ['cancelled', 0, 'cancelled'],
    ['exits', 3, ''],
    ['throws', 1, ''],
  ] as const)
    it(`a process ends: ${what}`, async () => {
      expect(await ended(what)).to.deep.equal([code, said]);
    });

  // tsx doesn't see what a worker begins with, but what that imports.
  const program = `import('tsx/esm/api').then(({ register }) => (register(), import('${new URL('worker.ts', import.meta.url)}')))`;
  const worker = (what: string) =>
    new Worker(program, { eval: true, execArgv: [], workerData: { path, what } });

  it('a worker thread has calls of its own, and ends', async () => {
    const workers = [worker('ends'), worker('ends')];
    const exits = workers.map((worker) => once(worker, 'exit'));
    const told = await Promise.all(workers.map((worker) => once(worker, 'message')));
    for (const [said] of told)
      expect(said).to.deep.equal(['ok', Array.from({ length: 100 }, (_, i) => i), 0]);
    expect(await Promise.all(exits)).to.deep.equal([[0], [0]]);
  });

  it('a worker that is terminated while native steps wait ends', async () => {
    const waits = worker('waits');
    await once(waits, 'message');
    expect(await waits.terminate()).to.equal(1);
  });

  it('workers that are terminated within calls end', async () => {
    for (let i = 0; i < 5; i++) {
      const runs = worker('runs');
      await once(runs, 'message');
      expect(await runs.terminate()).to.equal(1);
    }
  });
});
