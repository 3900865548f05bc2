import { expect } from 'chai';
import { type IAsyncSteps, type State, StepError } from '../src/index.js';
import { bench, thrownBy } from './bench.js';
import { gc } from './gc.js';

/** How to cancel the flow of a state. */
const cancelOf = new WeakMap<State, () => void>();

/** Whether what a flow held is collected though its error is kept. */
async function isCollected(
  body: (asi: IAsyncSteps, kept: unknown[]) => unknown,
  recover: boolean,
): Promise<boolean> {
  const kept: unknown[] = [];
  const held = await (async () => {
    const { flow, run } = bench();
    cancelOf.set(flow.state, () => flow.cancel());
    const big = new Array(1000).fill(0);
    flow.add(
      (asi) => {
        big.fill(1);
        return body(asi, kept);
      },
      recover
        ? (asi) => {
            kept.push(asi.state.last_exception);
            asi.success();
          }
        : undefined,
    );
    kept.push((await run())?.error);
    return new WeakRef(big);
  })();
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    gc();
  }
  expect(kept.length).to.be.greaterThan(0);
  return held.deref() === undefined;
}

describe('kept errors', () => {
  const NotFound = new StepError('NotFound');

  it('an error that is kept does not keep its flow', async () => {
    for (const recover of [false, true]) {
      expect(await isCollected((asi) => asi.error('E'), recover)).to.equal(true);
    }
  });

  it('an error that is a constant does not keep the flows that threw it', async () => {
    const body = () => {
      throw NotFound;
    };
    for (const recover of [true, false]) expect(await isCollected(body, recover)).to.equal(true);
    expect(NotFound.path).to.equal('0');
  });

  it('an error that its own body caught does not keep its flow when it is overtaken', async () => {
    const overtakers: ((asi: IAsyncSteps) => void)[] = [
      (asi) => asi.error('Later'),
      () => {
        throw new StepError('Later');
      },
      (asi) => asi.breakLoop(),
      (asi) => cancelOf.get(asi.state)!(),
      (asi) => asi.setCancel(() => cancelOf.get(asi.state)!()),
    ];
    for (const overtake of overtakers) {
      const collected = await isCollected((asi, kept) => {
        asi.loop((inner) => {
          kept.push(thrownBy(() => inner.error('Caught')));
          overtake(inner);
        });
      }, true);
      expect(collected, `${overtake}`).to.equal(true);
    }
  });

  it('an error that joined another one does not keep its flow', async () => {
    const collected = await isCollected((asi) => {
      asi.setTimeout(5);
      asi.errorNoThrow('Joins');
      return new Promise(() => {});
    }, false);
    expect(collected).to.equal(true);
  });

  it('an error of an async body that is cancelled does not keep its flow', async () => {
    const collected = await isCollected((asi, kept) => {
      kept.push(thrownBy(() => asi.error('Caught')));
      setImmediate(cancelOf.get(asi.state)!);
      return new Promise(() => {});
    }, false);
    expect(collected).to.equal(true);
  });

  for (const kind of ['StepError', 'Error']) {
    it(`the also of what a handler throws again is kept: ${kind}`, async () => {
      const { flow, run } = bench();
      flow.add((asi) => {
        const dones: { error(code: string): boolean }[] = [];
        const wait = (each: IAsyncSteps) => void dones.push(each.waitExternal());
        const outer = asi.parallel();
        outer.add((branch) => {
          const inner = branch.parallel((each) => {
            throw each.state.last_exception;
          });
          inner.add(wait).add(() => {
            dones[1]!.error('Inner');
            dones[0]!.error('Outer');
            throw kind === 'Error' ? new Error('Main') : new StepError('Main');
          });
        });
        outer.add(wait);
      });
      const { error } = (await run()) as unknown as { error: { also: { code: string }[] } };
      expect(error.also.map(({ code }) => code)).to.deep.equal(['Inner', 'Outer']);
    });
  }
});
