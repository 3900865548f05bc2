import { expect } from 'chai';
import { AsyncSteps, type IAsyncSteps, type ICompletion, map, race } from '../src/index.js';
import { gc } from './gc.js';

const macrotask = () => new Promise((resolve) => setImmediate(resolve));
const report = () => {};
const never = () => new Promise<never>(() => {});

async function heapUsed(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    await macrotask();
    gc();
  }
  return process.memoryUsage().heapUsed;
}

/** Bytes that each of 20,000 flows leaves behind, so many that what the process gains besides is a few for each, of whose state alone there are 8,000. */
async function left(fill: (asi: IAsyncSteps) => unknown): Promise<number> {
  const hundred = async () => {
    const flows: AsyncSteps[] = [];
    for (let i = 0; i < 100; i++) {
      const flow = new AsyncSteps({ report });
      flow.add(
        (asi) => {
          asi.state.big = new Array(1000).fill(i);
          return fill(asi);
        },
        (asi) => asi.success(),
      );
      flow.execute();
      flows.push(flow);
    }
    await macrotask();
    for (const flow of flows) flow.cancel();
    await macrotask();
  };
  const some = async (count: number) => {
    for (let i = 0; i < count; i += 100) await hundred();
  };
  await some(500);
  const before = await heapUsed();
  await some(20_000);
  return ((await heapUsed()) - before) / 20_000;
}

describe('what outlives a flow', function () {
  this.timeout(60_000);

  const reject = (asi: IAsyncSteps) => asi.relinquish().add((inner) => inner.error('Over'));
  const forAwait = (next: () => Promise<never>) => ({
    [Symbol.asyncIterator]: () => ({ next }),
  });

  const waits: [string, (asi: IAsyncSteps, forever: Promise<never>) => unknown][] = [
    ['an await step', (asi, forever) => asi.parallel().await(forever).add(reject)],
    ['an await step that is cancelled', (asi, forever) => void asi.await(forever)],
    ['an await step that never opens', (asi, forever) => void reject(asi).await(forever)],
    [
      'a race',
      (asi, forever) =>
        void asi.add(
          race(
            (each) => each.await(forever),
            (each) => each.success(1),
          ),
        ),
    ],
    ['a body that returns it', (_, forever) => forever],
    [
      'an async body that has a completion too',
      (asi, forever) => {
        asi.waitExternal();
        return forever;
      },
    ],
    [
      'a loop over an async source',
      (asi, forever) =>
        void asi.forEach(
          forAwait(() => forever),
          () => {},
        ),
    ],
    [
      'a map of an async source',
      (asi, forever) =>
        void asi.add(
          map(
            forAwait(() => forever),
            { limit: 2 },
            () => {},
          ),
        ),
    ],
    [
      'a cancel handler that returns it',
      (asi, forever) => {
        asi.setCancel(() => forever);
        asi.waitExternal();
      },
    ],
    [
      'an async source whose return() returns it',
      (asi, forever) => {
        const iterator = { next: never, return: () => forever };
        asi.forEach({ [Symbol.asyncIterator]: () => iterator }, () => {});
      },
    ],
  ];

  for (const [name, wait] of waits) {
    it(`a promise keeps a few bytes of each flow that has awaited it, and no state: ${name}`, async () => {
      const forever = never();
      expect(await left((asi) => wait(asi, forever))).to.be.lessThan(400);
      expect(forever).to.be.instanceOf(Promise);
    });
  }

  it('a completion that is kept keeps nothing of a flow that has ended', async () => {
    const kept: ICompletion[] = [];
    const ends: ((asi: IAsyncSteps) => unknown)[] = [
      (asi) => kept.push(asi.waitExternal()),
      (asi) => {
        kept.push(asi.waitExternal(), asi.waitExternal());
        kept.at(-1)!.success(1);
      },
      (asi) => {
        const done = asi.waitExternal();
        kept.push(done);
        setImmediate(() => done.error('Late'));
      },
      (asi) => {
        kept.push(asi.waitExternal());
        asi.add((inner) => void kept.push(inner.waitExternal()));
      },
      async (asi) => {
        kept.push(asi.waitExternal());
        await null;
        kept.push(asi.waitExternal());
      },
      (asi) => {
        asi.loop((each) => {
          kept.push(each.waitExternal());
          each.break();
        });
      },
      (asi) => {
        asi.add(
          (inner) => inner.error('E'),
          (inner) => {
            kept.push(inner.waitExternal());
            inner.add(() => {});
          },
        );
      },
    ];
    for (const end of ends) {
      kept.length = 0;
      expect(await left(end), `${end}`).to.be.lessThan(300);
      expect(kept.length).to.be.at.least(2500);
      expect(kept.some((each) => each.valid() || each.success())).to.equal(false);
    }
  });
});
