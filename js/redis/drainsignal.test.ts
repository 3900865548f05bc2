import { expect } from 'chai';
import { delay } from '../src/index.js';
import { enqueue, JobQueue, worker } from '../src/redis.js';
import { Calls } from './calls.js';
import { until } from './jobs.js';

const counted = () => process.listenerCount('SIGUSR2');

describe('servers and workers that drain at one signal', () => {
  const calls = new Calls();
  const warnings: string[] = [];
  const warned = ({ message }: Error) => void warnings.push(message);

  before(() => void process.on('warning', warned));
  after(() => void process.off('warning', warned));

  it('are one listener of the process, however many', async () => {
    const options = { drainOn: 'SIGUSR2', grace: 0 };
    const other = () => {};
    const before = counted();
    const service = calls.service();
    const letters = new JobQueue(calls.shop, 'letters');
    const first = Array.from({ length: 20 }, () =>
      calls.serve(service, { work: () => 1 }, options),
    );
    const workers = Array.from({ length: 3 }, () => worker(letters, () => delay(60_000), options));
    const running = () => workers.reduce((sum, { size }) => sum + size, 0);
    await enqueue(letters, 1);
    await until(() => running() === 1);
    expect(counted()).to.equal(before + 1);
    await Promise.all(first.map((one) => one.drain(0)));
    expect(counted()).to.equal(before + 1);
    process.on('SIGUSR2', other); // so it doesn't end
    process.emit('SIGUSR2');
    const late = calls.serve(service, { work: () => 1 }, options);
    const drained = async () => {
      while (counted() > before + 2) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await drained();
    expect(running()).to.equal(0);
    expect((await letters.counts()).run).to.equal(0);
    await late.drain(0);
    expect(counted()).to.equal(before + 1);
    process.off('SIGUSR2', other);
    expect(warnings).to.deep.equal([]);
  });
});
