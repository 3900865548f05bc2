import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { AsyncSteps, defaultTool, type IFlow, run, type Step, step } from 'steptree';
import { counts, load, offer, type Plugin } from '../ts/index.js';
import { builtPlugin, type Tried } from './plugin.js';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Of each of the eight kinds; `test:deep` has more than a million in all. */
const CALLS = Number(process.env['STEPTREE_CALLS'] ?? 100_000);
const AT_ONCE = 1000;
/** A call that left an allocation behind would leave 16 bytes or more. The rest is what V8 and the C library keep. */
const NOISE = 2 ** 20 + 8 * CALLS;

describe(`${CALLS} native calls leave nothing behind`, function () {
  this.timeout(600_000);
  let plugin: Plugin<Tried>;
  before(async () => {
    plugin = await load<Tried>(builtPlugin());
  });

  const executed = (flow: IFlow) =>
    new Promise<string>((done) => flow.execute(({ kind }) => done(kind)));
  const allocated = async () => {
    for (let i = 0; i < 3; i++) {
      collect();
      await new Promise(setImmediate);
    }
    return (await run(plugin.step('allocated'))) as number;
  };

  /** Once to fill what is kept and used again, then all of them. */
  const leavesNothing = async (round: (calls: number) => Promise<void>) => {
    await round(AT_ONCE);
    const before = await allocated();
    for (let left = CALLS; left > 0; left -= AT_ONCE) await round(AT_ONCE);
    const grown = (await allocated()) - before;
    expect(counts()).to.include({ calls: 0, waiting: 0, lent: 0, services: 0 });
    expect(defaultTool.armedTimers()).to.equal(0);
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).to.have.length(1);
    expect(grown).to.be.below(NOISE);
  };

  const branches = (step: Step, calls: number, end: (flow: IFlow) => unknown = () => {}) => {
    const flow = new AsyncSteps();
    const all = flow.parallel();
    for (let i = 0; i < calls; i++) all.add(step);
    const ended = executed(flow);
    end(flow);
    return ended;
  };

  it('calls that end at once', () =>
    leavesNothing(async (calls) => {
      const flow = new AsyncSteps();
      flow.repeat(calls, (asi, i) => asi.add(plugin.step('echo', { i, bytes: Buffer.alloc(8) })));
      expect(await executed(flow)).to.equal('ok');
    }));

  it('calls that a thread ends', () =>
    leavesNothing(async (calls) => {
      expect(await branches(plugin.step('threaded', [1, 'two']), calls)).to.equal('ok');
    }));

  it('calls that fail', () =>
    leavesNothing(async (calls) => {
      const careful = plugin.step('fail').onError<any>((asi) => asi.success());
      expect(await branches(careful, calls)).to.equal('ok');
    }));

  it('calls that are cancelled', () =>
    leavesNothing(async (calls) => {
      const cancelled = branches(plugin.step('forever'), calls, (flow) =>
        setImmediate(() => flow.cancel()),
      );
      expect(await cancelled).to.equal('cancelled');
    }));

  it('calls that call services', () => {
    offer(
      'service',
      step((asi, i) => asi.success(i)),
    );
    return leavesNothing(async (calls) => {
      expect(await branches(plugin.step('ask', 'service', 'x'), calls)).to.equal('ok');
    });
  });

  it('calls whose services fail', () => {
    offer(
      'fails',
      step(() => {
        throw new Error('no');
      }),
    );
    const careful = plugin.step('ask', 'fails').onError<any>((asi) => asi.success());
    return leavesNothing(async (calls) => {
      expect(await branches(careful, calls)).to.equal('ok');
    });
  });

  it('calls that are cancelled while services run', () => {
    offer(
      'waits',
      step((asi) => asi.setCancel(() => {})),
    );
    return leavesNothing(async (calls) => {
      const cancelled = branches(plugin.step('ask', 'waits'), calls, (flow) =>
        setImmediate(() => flow.cancel()),
      );
      expect(await cancelled).to.equal('cancelled');
    });
  });

  it('calls whose time is over', () =>
    leavesNothing(async (calls) => {
      const late = plugin
        .step('cleans', 0)
        .timeout(1)
        .onError<any>((asi) => asi.success());
      expect(await branches(late, calls)).to.equal('ok');
    }));
});
