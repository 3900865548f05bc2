import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { expectGone, isThere, Run } from './running.js';

describe('npm start -- redis', function () {
  this.timeout(600_000);
  let run: Run | undefined;
  afterEach(() => run?.kill());

  const workers = ['JavaScript 1', 'JavaScript 2', 'C\\+\\+ 1', 'C\\+\\+ 2'];
  const pidsOf = async (started: Run): Promise<number[]> => {
    const pids: number[] = [];
    for (const name of workers)
      pids.push(Number((await started.line(RegExp(`^ +${name} +pid (\\d+)$`)))[1]));
    return pids;
  };

  it('four workers share a limiter and a queue, two are killed, and nothing is lost', async () => {
    run = new Run('redis');
    const pids = await pidsOf(run);
    const code = await run.end();
    const said = run.said.join('\n');
    expect(code, said).to.equal(0);
    expect(run.said.at(-1)).to.match(/^nothing lost, never too many, /);
    expectGone(pids);
    for (const name of ['JavaScript 1', 'C\\+\\+ 1']) {
      expect(said).to.match(RegExp(`^ +kill -9 ${name}, with letter-\\d+.* on the way$`, 'm'));
      expect(said).to.match(RegExp(`^ +${name} +[1-9]\\d* +[1-9]\\d* +killed$`, 'm'));
    }
    for (const name of ['JavaScript 2', 'C\\+\\+ 2'])
      expect(said).to.match(RegExp(`^ +${name} +[1-9]\\d* +[1-9]\\d* +drained$`, 'm'));
    expect(said).to.match(/^ +at a time: 3 at most, of 3 that may be$/m);
    expect(said).to.match(/^ +lost: 0 of 240; dead letters: 0; begun again: [1-9]\d*$/m);
  });

  it('interrupted, it leaves no process', async () => {
    run = new Run('redis');
    const pids = await pidsOf(run);
    run.interrupt('Ctrl-C');
    expect(await run.end()).to.equal(1);
    // Whoever has killed them is gone: they end by themselves, or mocha's limit ends the wait.
    while (pids.some(isThere)) await delay(10);
  });
});
