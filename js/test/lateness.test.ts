import { expect } from 'chai';
import { AsyncSteps, AsyncTool } from '../src/index.js';
import { codeOf, spinFor, withClock } from './clocks.js';

describe('lateness', () => {
  it('a deadline comes before the next body where bodies take long', () =>
    withClock(async (clock) => {
      const flow = new AsyncSteps({ tool: new AsyncTool() });
      let bodies = 0;
      flow.add((asi) => {
        asi.setTimeout(10);
        asi.loop(() => {
          bodies++;
          clock.time += 4;
        });
      });
      expect(await codeOf(flow)).to.equal('Timeout');
      expect(bodies).to.equal(3);
    }));

  it('a step whose body returns after its deadline ends with Timeout', () =>
    withClock(async (clock) => {
      const tool = new AsyncTool();
      const flow = new AsyncSteps({ tool });
      let began = false;
      flow.add((asi) => {
        asi.setTimeout(10);
        asi.add((asi) => {
          clock.time += 50;
          expect(asi.remaining()).to.equal(0);
          asi.success();
        });
        asi.add(() => {
          began = true;
        });
      });
      expect(await codeOf(flow)).to.equal('Timeout');
      expect(began).to.equal(false);
      const own = new AsyncSteps({ tool });
      own.add((asi) => {
        asi.setTimeout(10);
        clock.time += 50;
        asi.success();
      });
      expect(await codeOf(own)).to.equal('Timeout');
    }));

  it('one body in 64 that takes long is enough for the next one that does to be noticed at once', () =>
    withClock(async (clock) => {
      const flow = new AsyncSteps({ tool: new AsyncTool() });
      let last = 0;
      flow.repeat(1000, () => {});
      flow.repeat(65, () => void (clock.time += 1));
      flow.repeat(60, () => {});
      flow.add((asi) => {
        asi.setTimeout(1);
        asi.repeat(3, (_, i) => {
          last = i;
          clock.time += 4;
        });
      });
      expect(await codeOf(flow)).to.equal('Timeout');
      expect(last).to.equal(0);
    }));

  it('while bodies are short the clock is read for few of them', () =>
    withClock(async (clock) => {
      const flow = new AsyncSteps({ tool: new AsyncTool() });
      flow.add((asi) => {
        asi.setTimeout(1000);
        asi.repeat(10_000, () => {});
      });
      await flow.promise();
      expect(clock.readings).to.be.lessThan(10_000 / 64 + 2 * 64 + 20);
    }));

  it('a timer is not much late behind bodies that become slow', async () => {
    const flow = new AsyncSteps();
    let fired = false;
    let slow = 0;
    flow.repeat(100_000, () => {});
    flow.loop((asi) => {
      if (slow === 0) setTimeout(() => (fired = true), 1);
      if (fired || slow === 300) asi.break();
      slow++;
      spinFor(2);
    });
    await flow.promise();
    expect(slow).to.be.lessThan(100);
  });

  for (const [how, blocks] of [
    ['an async body that went on too long', () => {}],
    ['a promise that others were late to settle', () => spinFor(60)],
  ] as const) {
    const wait = () =>
      new Promise<void>((done) => {
        setTimeout(() => {
          blocks();
          done();
        }, 5);
      });
    it(`a deadline comes before the next body, after ${how}`, async () => {
      const seen: string[] = [];
      const flow = new AsyncSteps();
      flow.add(
        (asi) => {
          asi.setTimeout(20);
          asi.add(async () => {
            await wait();
            spinFor(60);
          });
          asi.add(() => void seen.push('body'));
        },
        (asi, code) => {
          seen.push(code);
          asi.success();
        },
      );
      await flow.promise();
      expect(seen).to.deep.equal(['Timeout']);
    });
  }
});
