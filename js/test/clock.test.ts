import { MessageChannel } from 'node:worker_threads';
import { expect } from 'chai';

type Macrotask = (fn: () => void) => unknown;

let platforms = 0;

/** What the runtime would take from a platform that has these instead of its own. */
async function macrotaskOf(platform: object): Promise<Macrotask> {
  const { setImmediate, MessageChannel } = globalThis;
  Object.assign(globalThis, { setImmediate: undefined, MessageChannel: undefined }, platform);
  try {
    return (await import(`../src/clock.ts?platform=${platforms++}`)).macrotask;
  } finally {
    Object.assign(globalThis, { setImmediate, MessageChannel });
  }
}

/** Asks for two, and tells what came when. */
async function orderOf(macrotask: Macrotask): Promise<string[]> {
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    macrotask(() => void order.push('one'));
    macrotask(() => {
      order.push('two');
      resolve();
    });
    void Promise.resolve().then(() => order.push('microtask'));
    order.push('asked');
  });
  return order;
}

const order = ['asked', 'microtask', 'one', 'two'];

describe('macrotasks of a platform', () => {
  it('Node has setImmediate', async () => {
    const { setImmediate } = globalThis;
    expect(await macrotaskOf({ setImmediate, MessageChannel })).to.equal(setImmediate);
  });

  it('a browser has message channels, of which one serves all', async () => {
    const channels: MessageChannel[] = [];
    class Counted extends MessageChannel {
      constructor() {
        super();
        channels.push(this);
      }
    }
    const macrotask = await macrotaskOf({ MessageChannel: Counted });
    expect(await orderOf(macrotask)).to.deep.equal(order);
    expect(channels.length).to.equal(1);
    // Else it holds the process.
    channels[0]!.port1.close();
  });

  it('where there is neither, timers do', async () => {
    expect(await orderOf(await macrotaskOf({}))).to.deep.equal(order);
  });
});
