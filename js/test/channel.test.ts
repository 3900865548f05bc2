import { expect } from 'chai';
import { AsyncSteps, Channel, map, VirtualTool } from '../src/index.js';
import { bench, thrownBy } from './bench.js';
import { chanceOf } from './chance.js';
import { gc } from './gc.js';
import { leavingRatio } from './leaving.js';

describe('Channel', function () {
  this.timeout(60_000);

  it('a channel is an async iterable that ends when it is closed and empty', async () => {
    const channel = new Channel<number>({ capacity: 2 });
    const { tool, flow, run } = bench();
    const seen: number[] = [];
    const reading = (async () => {
      for await (const value of channel) seen.push(value);
      seen.push(-1);
    })();
    flow.repeat(5, (asi, i) => channel.send(asi, i));
    expect((await run())?.kind).to.equal('ok');
    channel.close();
    await reading;
    expect(seen).to.deep.equal([0, 1, 2, 3, 4, -1]);
    expect(channel.receivers).to.equal(0);
    for await (const value of channel) expect.fail(`${value}`);
    await tool.run();
  });

  it('a channel is a source of forEach and map', async () => {
    const channel = new Channel<string>({ capacity: Infinity });
    const { flow, run } = bench();
    for (const value of ['a', 'b', 'c']) channel.trySend(value);
    channel.close();
    const seen: unknown[] = [];
    flow.forEach(channel, (_asi, i, value) => void seen.push(i, value));
    flow.add(map(channel, { limit: 2 }, (_asi, value) => `${value}!`));
    expect(await run()).to.deep.equal({ kind: 'ok', values: [[]] });
    expect(seen).to.deep.equal([0, 'a', 1, 'b', 2, 'c']);
    const jobs = new Channel<number>({ capacity: 0 });
    const { tool } = bench();
    const all = new AsyncSteps({ tool });
    all.add(map(jobs, { limit: 2 }, (_asi, value) => value * 2));
    const made = new AsyncSteps({ tool });
    made.repeat(4, (asi, i) => jobs.send(asi, i)).add(() => jobs.close());
    let end: unknown;
    all.execute((outcome) => {
      end = outcome.values;
    });
    made.execute();
    await tool.run();
    expect(end).to.deep.equal([[0, 2, 4, 6]]);
  });

  it('iterators and steps receive in one order', async () => {
    const channel = new Channel<number>({ capacity: 0 });
    const { tool, flow } = bench();
    const seen: string[] = [];
    const iterator = channel[Symbol.asyncIterator]();
    const first = iterator.next().then(({ value }) => seen.push(`first ${value}`));
    flow.add((asi) => channel.receive(asi)).add((_asi, value) => void seen.push(`step ${value}`));
    flow.execute();
    await tool.run();
    const last = iterator.next().then(({ value }) => seen.push(`last ${value}`));
    for (const value of [1, 2, 3]) expect(channel.trySend(value)).to.equal(true);
    expect(channel.trySend(4)).to.equal(false);
    await tool.run();
    await Promise.all([first, last]);
    expect(seen.sort()).to.deep.equal(['first 1', 'last 3', 'step 2']);
  });

  it('a loop over a channel that is left loses no value', async () => {
    const channel = new Channel<number>({ capacity: 0 });
    const { tool, flow } = bench();
    flow.forEach(channel, () => {});
    flow.execute();
    await tool.run();
    expect(channel.receivers).to.equal(1);
    flow.cancel();
    expect(channel.receivers).to.equal(0);
    expect(channel.trySend(1)).to.equal(false);
    await tool.run();
    const iterator = channel[Symbol.asyncIterator]();
    const given = [iterator.next(), iterator.next(), iterator.next()];
    for (const value of [1, 2]) expect(channel.trySend(value)).to.equal(true);
    const { value } = await given[0]!;
    expect(value).to.equal(1);
    await iterator.return!();
    expect(await given[2]).to.deep.equal({ done: true, value: undefined });
    expect((await iterator.next()).done).to.equal(true);
    expect([channel.size, channel.tryReceive()]).to.deep.equal([1, { value: 2 }]);
    await tool.run();
  });

  it('errors of a channel say its name', async () => {
    const channel = new Channel({ capacity: 0, name: 'jobs' });
    expect(channel.name).to.equal('jobs');
    const infos: string[] = [];
    const { tool } = bench();
    const waiting = new AsyncSteps({ tool });
    waiting.add((asi) => void channel.receive(asi));
    waiting.execute(({ error }: any) => void infos.push(error.info));
    await tool.run();
    channel.close();
    const late = new AsyncSteps({ tool });
    late.add((asi) => channel.send(asi, 1));
    late.execute(({ error }: any) => void infos.push(error.info));
    await tool.run();
    expect(infos).to.deep.equal(["channel 'jobs': it is closed", "channel 'jobs': it is closed"]);
  });

  it('a bad capacity names what was expected and what came', () => {
    expect(thrownBy(() => new Channel({ capacity: -1 }))).to.include({
      code: 'InternalError',
      info: 'capacity: expected a whole number from 0 to 2^53 - 1, or Infinity, got -1',
    });
    expect(thrownBy(() => new Channel(undefined as never)).code).to.equal('InternalError');
  });

  it('send and receive want an accessor', () => {
    const channel = new Channel({ capacity: 1 });
    expect(thrownBy(() => channel.send({} as never, 1)).info).to.contain('send: expected an');
    expect(thrownBy(() => channel.receive(undefined as never)).info).to.contain('an accessor');
  });

  it('undefined is a value', async () => {
    const { flow, run } = bench();
    const channel = new Channel<undefined>({ capacity: 1 });
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
    const make = () => new Channel({ capacity: 0 });
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
    const channel = new Channel<number>({ capacity: 0 });
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
  const channel = new Channel<number>({ capacity: chance(4) });
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
