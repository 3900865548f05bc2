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
      info: 'Channel: capacity: expected a whole number from 0 to 2^53 - 1, or Infinity, got -1',
    });
    expect(thrownBy(() => new Channel(undefined as never)).code).to.equal('InternalError');
  });

  it('send and receive outside of steps are runs of their steps', async () => {
    const { tool } = bench();
    const jobs = new Channel<string>({ capacity: 1, name: 'jobs' });
    const sent: string[] = [];
    for (const job of ['a', 'b', 'c']) {
      void jobs.send(job, { tool }).then((ended) => sent.push(`${job} ${ended}`));
    }
    await tool.run();
    expect(sent).to.deep.equal(['a undefined']);
    expect(jobs.senders).to.equal(2);
    const received = [1, 2, 3, 4].map(() => jobs.receive({ tool }));
    const last = received[3]!.catch(({ code, info }) => `${code} ${info}`);
    await tool.run();
    expect(await Promise.all(received.slice(0, 3))).to.deep.equal(['a', 'b', 'c']);
    expect(sent.length).to.equal(3);
    expect(jobs.receivers).to.equal(1);
    jobs.close();
    await tool.run();
    expect(await last).to.equal("Closed channel 'jobs': it is closed");
    const late = jobs.send('d', { tool }).catch(({ code }) => code as string);
    await tool.run();
    expect(await late).to.equal('Closed');
  });

  it('a signal ends sends and receives outside of steps, and nothing is lost', async () => {
    const { tool } = bench();
    const jobs = new Channel<string>({ capacity: 0 });
    const controller = new AbortController();
    const { signal } = controller;
    const codeOf = (promise: Promise<unknown>) =>
      promise.then(
        (value) => value,
        ({ code, cause }) => [code, cause],
      );
    const receiving = codeOf(jobs.receive({ tool, signal }));
    await tool.run();
    expect(jobs.receivers).to.equal(1);
    expect(jobs.trySend('given')).to.equal(true);
    controller.abort('enough');
    await tool.run();
    expect(await receiving).to.deep.equal(['Canceled', 'enough']);
    expect(jobs.tryReceive()).to.deep.equal({ value: 'given' });
    const sending = codeOf(jobs.send('late', { tool, signal }));
    await tool.run();
    expect(await sending).to.deep.equal(['Canceled', 'enough']);
    expect(jobs.senders).to.equal(0);
    expect(jobs.tryReceive()).to.equal(undefined);
  });

  it('a send outside of steps has succeeded once its value is taken, whatever comes then', async () => {
    const { tool } = bench();
    const jobs = new Channel<string>({ capacity: 0 });
    const controller = new AbortController();
    const sending = jobs.send('job', { tool, signal: controller.signal }).then(() => 'sent');
    await tool.run();
    expect(jobs.tryReceive()).to.deep.equal({ value: 'job' });
    controller.abort();
    await tool.run();
    expect(await sending).to.equal('sent');
    expect(jobs.size).to.equal(0);
  });

  it('an iterator with a signal is left when that is aborted', async () => {
    const jobs = new Channel<number>({ capacity: 2 });
    const controller = new AbortController();
    const { signal } = controller;
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const job of jobs.values({ signal })) seen.push(job);
    })().catch((error) => seen.push(error.code, error.cause));
    jobs.trySend(1);
    await new Promise(setImmediate);
    expect(jobs.receivers).to.equal(1);
    controller.abort('enough');
    await reading;
    expect(seen).to.deep.equal([1, 'Canceled', 'enough']);
    expect(jobs.receivers).to.equal(0);
    jobs.trySend(2);
    expect(jobs.tryReceive()).to.deep.equal({ value: 2 });
    const late = jobs.values({ signal });
    const codes = [late.next(), late.next()].map((call) => call.catch(({ code }) => code));
    expect(await Promise.all(codes)).to.deep.equal(['Canceled', 'Canceled']);
    expect(await late.return!()).to.deep.equal({ done: true, value: undefined });
    expect(await late.next()).to.deep.equal({ done: true, value: undefined });
  });

  it('a value that has come to an iterator before its signal is aborted, and is not read, goes back', async () => {
    const jobs = new Channel<number>({ capacity: 1 });
    const controller = new AbortController();
    const { signal } = controller;
    const iterator = jobs.values({ signal });
    const calls = [iterator.next(), iterator.next()];
    expect(jobs.trySend(1)).to.equal(true);
    controller.abort();
    expect(jobs.tryReceive()).to.deep.equal({ value: 1 });
    expect(await calls[1]!.catch(({ code }) => code)).to.equal('Canceled');
  });

  it('an iterator listens to its signal until it has ended', async () => {
    const listeners = new Set<unknown>();
    const signal = {
      aborted: false,
      addEventListener: (_type: string, listener: unknown) => void listeners.add(listener),
      removeEventListener: (_type: string, listener: unknown) => void listeners.delete(listener),
    };
    const jobs = new Channel<number>({ capacity: 1 });
    const left = jobs.values({ signal });
    const ended = jobs.values({ signal });
    expect(listeners.size).to.equal(2);
    await left.return!();
    expect(listeners.size).to.equal(1);
    jobs.close();
    expect(await ended.next()).to.deep.equal({ done: true, value: undefined });
    expect(listeners.size).to.equal(0);
    expect(thrownBy(() => jobs.values({ signal: 1 as never })).info).to.contain('a signal');
    expect(thrownBy(() => jobs.values({ capacity: 1 } as never)).info).to.contain('values');
  });

  it('what is no accessor is no place for a step', () => {
    const channel = new Channel({ capacity: 1 });
    expect(thrownBy(() => channel.send({}, 1 as never)).info).to.contain('send: expected');
    expect(thrownBy(() => channel.receive(1 as never)).info).to.contain('receive: expected');
    expect(channel.size).to.equal(0);
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
