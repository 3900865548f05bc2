import { expect } from 'chai';
import { AsyncSteps, Channel, VirtualTool } from '../src/index.js';
import { bench, thrownBy } from './bench.js';
import { chanceOf } from './chance.js';
import { gc } from './gc.js';
import { leavingRatio } from './leaving.js';

describe('Channel', function () {
  this.timeout(60_000);

  it('a bad capacity names what was expected and what came', () => {
    expect(thrownBy(() => new Channel(-1))).to.include({
      code: 'InternalError',
      info: 'capacity: expected a whole number, 0 or more, got -1',
    });
    expect(thrownBy(() => new Channel(undefined as never)).code).to.equal('InternalError');
  });

  it('send and receive want an accessor', () => {
    const channel = new Channel(1);
    expect(thrownBy(() => channel.send({} as never, 1)).info).to.contain('send: expected an');
    expect(thrownBy(() => channel.receive(undefined as never)).info).to.contain('an accessor');
  });

  it('undefined is a value', async () => {
    const { flow, run } = bench();
    const channel = new Channel<undefined>(1);
    flow
      .add((asi) => {
        channel.send(asi, undefined);
        channel.receive(asi);
      })
      .add((asi, ...values) => {
        expect(values).to.deep.equal([undefined]);
        asi.success('came');
      });
    expect((await run())?.values).to.deep.equal(['came']);
    expect(channel.trySend(undefined)).to.equal(true);
    expect(channel.tryReceive()).to.deep.equal({ value: undefined });
    expect(channel.tryReceive()).to.equal(undefined);
  });

  it('leaving a channel’s queue of 100,000 costs the same as leaving a short one', async () => {
    const make = () => new Channel(0);
    const sending = await leavingRatio(make, (channel, flow) =>
      flow.add((asi) => channel.send(asi, 1)),
    );
    expect(sending).to.be.lessThan(25);
    const receiving = await leavingRatio(make, (channel, flow) =>
      flow.add((asi) => channel.receive(asi)),
    );
    expect(receiving).to.be.lessThan(25);
  });

  it('random programs lose no value and receive none twice', async () => {
    for (let seed = 1; seed <= 80; seed++) await shake(seed);
  });

  it('senders that have given up leave nothing in the channel', async () => {
    const tool = new VirtualTool();
    const channel = new Channel<number>(0);
    const used = () => {
      gc();
      return process.memoryUsage().heapUsed;
    };
    const thousand = async () => {
      for (let i = 0; i < 1000; i++) {
        const flow = new AsyncSteps({ tool, unhandled() {} });
        flow.add((asi) => {
          asi.setTimeout(1);
          channel.send(asi, i);
        });
        flow.execute();
      }
      await tool.run();
    };
    for (let i = 0; i < 5; i++) await thousand();
    const before = used();
    for (let i = 0; i < 20; i++) await thousand();
    expect(used() - before).to.be.lessThan(2 ** 20);
    expect(channel.trySend(1)).to.equal(false);
  });
});

/** Flows that send and receive, and are timed out and cancelled by chance. */
async function shake(seed: number): Promise<void> {
  const chance = chanceOf(seed);
  const tool = new VirtualTool();
  const channel = new Channel<number>(chance(4));
  const sent = new Set<number>();
  const received: number[] = [];
  for (let i = 0; i < 60; i++) {
    const flow = new AsyncSteps({ tool, unhandled: () => {} });
    flow.add((asi) => {
      if (chance(3) === 0) asi.setTimeout(chance(10));
      if (i % 2) {
        channel.send(asi, i);
        asi.add(() => void sent.add(i));
      } else {
        channel.receive(asi);
        asi.add((_, value) => void received.push(value));
      }
    });
    tool.deferred(chance(8), () => flow.execute());
    if (chance(4) === 0) tool.deferred(chance(12), () => flow.cancel());
  }
  tool.deferred(20, () => channel.close());
  await tool.run();
  for (let left = channel.tryReceive(); left !== undefined; left = channel.tryReceive()) {
    received.push(left.value);
  }
  expect(new Set(received).size, `seed ${seed}`).to.equal(received.length);
  for (const value of sent) expect(received, `seed ${seed}`).to.include(value);
}
