import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Piscina } from 'piscina';
import { AsyncSteps, errors, type IAsyncSteps, type IOutcome, StepError } from '../src/index.js';
import { offload } from '../src/pool.js';
import { thrownBy } from './bench.js';

/** Of worker threads that are real: each test waits for what it looks for, and fails by its own limit if that never comes. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await delay(1);
}

/** What `hold` of worker.ts counts in. */
const counters = () => new Int32Array(new SharedArrayBuffer(12));

const letGo = (counts: Int32Array) => {
  Atomics.store(counts, 1, 1);
  Atomics.notify(counts, 1);
};

describe('tasks of worker threads', function () {
  this.timeout(120_000);
  const filename = new URL('./pool/worker.ts', import.meta.url).href;
  const reported: string[] = [];
  let pool: Piscina;

  before(() => {
    pool = new Piscina({ filename, minThreads: 1, maxThreads: 1 });
  });
  after(() => pool.destroy());
  afterEach(() => expect(reported).to.deep.equal([]));

  const newFlow = () => new AsyncSteps({ report: (code) => reported.push(code) });
  const outcomeOf = (flow: AsyncSteps) => new Promise<IOutcome>((done) => flow.execute(done));

  it('the result of a task is that of its step', async () => {
    const flow = newFlow();
    flow.add(offload(pool, 1));
    flow.add((asi, two) => asi.success(two, 10));
    flow.add(offload(pool, (two: number, ten: number) => two * ten));
    flow.add((asi, n) => {
      asi.state['n'] = n;
      asi.add(offload(pool, 0, { name: 'nothing' }));
    });
    flow.add((asi, ...values) => asi.success(asi.state['n'], values.length));
    expect((await outcomeOf(flow)).values).to.deep.equal([21, 0]);
  });

  it('a task is handed to the pool when its step opens', async () => {
    const handed: unknown[] = [];
    const ours = { run: async (task: unknown) => void handed.push(task) };
    const flow = newFlow();
    flow.add(() => expect(handed).to.deep.equal([]) && undefined);
    flow.add(offload(ours, 1));
    flow.add((asi) => asi.error('Enough'));
    flow.add(offload(ours, 2));
    expect((await outcomeOf(flow)).code).to.equal('Enough');
    expect(handed).to.deep.equal([1]);
  });

  it('what is no pool is refused at once', () => {
    for (const no of [undefined, null, 5, {}, { run: 5 }, filename]) {
      const error = thrownBy(() => offload(no as never, 1));
      expect(error).to.be.instanceOf(StepError);
      expect(error.code).to.equal('InternalError');
      expect(error.info).to.match(/^offload: expected a pool/);
    }
  });

  /** The code and the info that the tasks of these names fail with, all alike. */
  async function expectFailure(names: readonly string[], code: string, info: string) {
    for (const name of names) {
      const seen: unknown[] = [];
      const flow = newFlow().add(offload(pool, 0, { name }), (asi, code) => {
        seen.push(code, asi.state.error_info);
        asi.success();
      });
      expect((await outcomeOf(flow)).kind).to.equal('ok');
      expect(seen).to.deep.equal([code, info]);
    }
  }

  it('a StepError of a worker keeps its code', () =>
    expectFailure(['throwsStepError'], 'NotFound', 'no such row'));

  it('an Error of a worker keeps its code if task has sent it', () =>
    expectFailure(['sendsCode', 'sendsCodeLater', 'sendsCodeOfCause'], 'ECONNREFUSED', 'no route'));

  it('a StepError that a task throws is sent as it is', () =>
    expectFailure(['sendsStepError', 'sendsOddCause'], 'NotFound', 'no such row'));

  it('an Error of a worker loses its code without task', () =>
    expectFailure(['losesCode'], 'InternalError', 'no route'));

  it('a code of a worker that is not portable is none', () =>
    expectFailure(['sendsOddCode'], 'InternalError', 'odd'));

  it('what a worker throws that is no error has no code', async () => {
    await expectFailure(['sendsThing'], 'InternalError', 'thrown: 5');
    await expectFailure(['throwsObject'], 'InternalError', 'thrown: object');
  });

  it('a worker that ends is an error of the step', () =>
    expectFailure(['ends'], 'InternalError', 'worker exited with code: 3'));

  /** A task is begun, and then its step is left in some way: how that ends the flow. The task's thread has ended then. */
  async function leave(way: (flow: AsyncSteps, asi: IAsyncSteps) => void): Promise<IOutcome> {
    const counts = counters();
    const exit = once(pool.threads[0]!, 'exit');
    const flow = newFlow();
    flow.add((asi) => {
      const branches = asi.parallel();
      branches.add(offload(pool, counts, { name: 'hold' }));
      branches.add((asi) => {
        asi.await(until(() => Atomics.load(counts, 0) === 1));
        asi.add((asi) => way(flow, asi));
      });
    });
    const outcome = await outcomeOf(flow);
    await exit;
    expect(await pool.run(1)).to.equal(2);
    expect([...counts]).to.deep.equal([1, 0, 0]);
    return outcome;
  }

  it('a step that is left by a cancel ends the thread of its task', async () => {
    expect((await leave((flow) => flow.cancel('enough'))).reason).to.equal('enough');
  });

  it('a step that is left by an error ends the thread of its task', async () => {
    expect((await leave((_, asi) => asi.error('Enough'))).code).to.equal('Enough');
  });

  it('a step that is left by a timeout ends the thread of its task', async () => {
    expect((await leave((_, asi) => asi.setTimeout(1))).code).to.equal(errors.Timeout);
  });

  it('a task that waits in the queue when its step is left never begins', async () => {
    const counts = counters();
    const never = counters();
    const flow = newFlow().add(offload(pool, counts, { name: 'hold' }));
    const holding = outcomeOf(flow);
    await until(() => Atomics.load(counts, 0) === 1);
    const late = newFlow();
    late.add(
      (asi) => {
        asi.setTimeout(5);
        asi.add(offload(pool, never, { name: 'hold' }));
      },
      (asi, code) => asi.success(code, pool.queueSize),
    );
    const ended = outcomeOf(late);
    await until(() => pool.queueSize === 1);
    expect((await ended).values).to.deep.equal([errors.Timeout, 0]);
    letGo(counts);
    expect((await holding).kind).to.equal('ok');
    expect(await pool.run(1)).to.equal(2);
    expect([...counts, ...never]).to.deep.equal([1, 1, 1, 0, 0, 0]);
  });
});
