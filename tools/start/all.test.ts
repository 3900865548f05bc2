import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { expectGone, isThere, Run } from './running.js';

describe('npm start -- all', function () {
  this.timeout(1_200_000);
  let run: Run | undefined;
  afterEach(() => run?.kill());

  it('three servers with the same plug-ins answer alike, and lose nothing while one is replaced', async () => {
    run = new Run('all');
    const pids = await run.pids(['Python']);
    const code = await run.end();
    const said = run.said.join('\n');
    expect(code, said).to.equal(0);
    expect(run.said.at(-1)).to.match(/^equal and clean, /);
    expectGone(pids);
    expect(said.match(/^ {4}\d+ answers, all equal$/gm)).to.have.length(2);
    expect(said.match(/ ERR the command has taken too long {2,}= /g)).to.have.length(2);
    for (const name of ['JavaScript', 'C\\+\\+', 'Python']) {
      expect(said).to.match(
        RegExp(`^ +${name} +redis-benchmark WAIT.TICK 1: 20000 requests, .* 0 errors$`, 'm'),
      );
      expect(said).to.match(RegExp(`^ +${name} +8 clients that check: .*, 0 wrong$`, 'm'));
    }
  });

  it('interrupted, it leaves no server', async () => {
    run = new Run('all');
    const pids = await run.pids(['Python']);
    run.interrupt('Ctrl-C');
    expect(await run.end()).to.equal(1);
    // Whoever has killed them is gone: they end by themselves, or mocha's limit ends the wait.
    while (pids.some(isThere)) await delay(10);
  });
});
