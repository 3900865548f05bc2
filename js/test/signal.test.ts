import { EventEmitter, getEventListeners, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import {
  all,
  AsyncSteps,
  errors,
  type IAsyncSteps,
  type IOutcome,
  local,
  StepError,
  delay,
  loop,
  race,
  run,
  shield,
  step,
  type Step,
  steps,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';
import { gc } from './gc.js';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('signals', function () {
  this.timeout(60_000);

  it('what is no signal throws InternalError and leaves the flow alone', async () => {
    const { flow, run } = bench();
    flow.add((asi) => asi.success(1));
    for (const no of [null, 5, 'abort', {}, { aborted: false }, new EventEmitter()]) {
      for (const call of ['execute', 'promise'] as const) {
        const start = () =>
          call === 'execute'
            ? flow.execute(undefined, { signal: no as never })
            : flow.promise({ signal: no as never });
        const error = thrownBy(start);
        expect(error.code).to.equal('InternalError');
        expect(error.info).to.match(new RegExp(`^${call}: expected a signal, got `));
      }
    }
    expect((await run())?.values).to.deep.equal([1]);
  });

  it('the reason of a cancel is the text of the signal, its cause whatever that was aborted with', async () => {
    const gone = new Error('client gone');
    for (const [given, reason, cause] of [
      ['enough', 'enough', 'enough'],
      [gone, undefined, gone],
      [7, undefined, 7],
    ]) {
      for (const early of [true, false]) {
        const controller = new AbortController();
        if (early) controller.abort(given);
        const { signal } = controller;
        const flow = new AsyncSteps().add((asi) => void asi.waitExternal());
        const outcome = new Promise<IOutcome>((resolve) => flow.execute(resolve, { signal }));
        const other = new AsyncSteps().add((asi) => void asi.waitExternal());
        const rejection = other.promise({ signal }).catch((error) => error);
        if (!early) controller.abort(given);
        expect(await outcome).to.deep.equal({
          kind: 'cancelled',
          ...(reason !== undefined && { reason }),
          cause,
        });
        const error = await rejection;
        expect(error).to.be.instanceOf(StepError);
        expect([error.code, error.info, error.cause]).to.deep.equal([
          'Canceled',
          reason ?? '',
          cause,
        ]);
      }
    }
  });

  it('the reason of a step signal is the error that ends the step, else Canceled', async () => {
    const reasons: unknown[] = [];
    const listen = (asi: IAsyncSteps) =>
      asi.signal.addEventListener('abort', ({ target }) => {
        reasons.push((target as AbortSignal).reason);
      });
    const thrown = new RangeError('far');
    const flow = new AsyncSteps();
    flow.add(
      (asi) => {
        listen(asi);
        throw thrown;
      },
      (asi) => asi.success(),
    );
    flow.add(
      (asi) => {
        asi.setTimeout(1);
        asi.add((inner) => {
          listen(inner);
          inner.waitExternal();
        });
      },
      (asi) => asi.success(),
    );
    flow.loop((asi) => {
      listen(asi);
      asi.break();
    });
    flow.add((asi) => {
      listen(asi);
      asi.waitExternal();
      setImmediate(() => flow.cancel('shut down'));
    });
    const failure = await flow.promise().catch((error) => error);
    expect(failure.code).to.equal('Canceled');
    expect(reasons[0]).to.equal(thrown);
    expect(reasons.slice(1).map((reason: any) => [reason.code, reason.info])).to.deep.equal([
      ['Timeout', ''],
      ['Canceled', ''],
      ['Canceled', 'shut down'],
    ]);
  });

  it('a deferred function gets the outcome that done gets, its cause too', async () => {
    for (const reason of [new Error('client gone'), 'shut down', 0]) {
      for (const told of [true, false]) {
        const { tool, flow } = bench();
        const outcomes: IOutcome[] = [];
        const controller = new AbortController();
        flow.add((asi) => {
          asi.defer((_asi, outcome) => void outcomes.push(outcome));
          asi.waitExternal();
        });
        const done = (outcome: IOutcome) => void outcomes.push(outcome);
        flow.execute(told ? done : undefined, { signal: controller.signal });
        await tool.run();
        controller.abort(reason);
        await tool.run();
        const text = typeof reason === 'string' ? { reason } : {};
        const expected = { kind: 'cancelled', ...text, cause: reason };
        expect(outcomes).to.deep.equal(told ? [expected, expected] : [expected]);
      }
    }
  });

  it('the reason of a cancel reaches a step signal also if nobody is told of the end', async () => {
    const { tool, flow } = bench();
    let signal: AbortSignal | undefined;
    flow.add((asi) => {
      asi.waitExternal();
      ({ signal } = asi);
    });
    flow.execute();
    await tool.run();
    flow.cancel('over');
    const reason = signal?.reason;
    expect([reason.code, reason.info]).to.deep.equal(['Canceled', 'over']);
  });

  it('the reason of a cancel is not that of a step signal which a winner or a break aborts', async () => {
    const { tool, flow } = bench();
    const reasons: unknown[] = [];
    const listen = (asi: IAsyncSteps) => {
      const { signal } = asi;
      signal.addEventListener('abort', () => void reasons.push(signal.reason.info));
    };
    const loses = step((asi) => {
      listen(asi);
      asi.waitExternal();
    });
    const breaks = loop((asi) => {
      listen(asi);
      asi.break();
    });
    flow.add(shield(100, steps(race(delay(5), loses), breaks)));
    flow.execute();
    await tool.advance(1);
    flow.cancel('why');
    await tool.run();
    expect(reasons).to.deep.equal(['', '']);
  });

  it('late code is told that its step is over, and finds the locals around it', async () => {
    const user = local<string>('user');
    const { flow, tool, run } = bench();
    const seen: unknown[] = [];
    flow.add(
      (outer) => {
        user.set(outer, 'Ann');
        outer.setTimeout(5);
        outer.add(async (asi) => {
          await new Promise<void>((resolve) => void tool.deferred(9, resolve));
          const { signal } = asi;
          seen.push(signal.aborted, signal === asi.signal, user.get(asi));
        });
        outer.add(() => {});
      },
      (asi) => asi.success(),
    );
    flow.add(delay(20));
    await run();
    expect(seen).to.deep.equal([true, true, 'Ann']);
  });

  it('a listener may look at the signal of its step, to see the reason', async () => {
    const { flow, run } = bench();
    const seen: unknown[] = [];
    flow.add((asi) => {
      asi.signal.addEventListener('abort', () => seen.push(asi.signal.reason.code));
      asi.error('E');
    });
    await run();
    expect(seen).to.deep.equal(['E']);
  });

  it('a step that nobody asks for a signal makes none', async () => {
    const { AbortController: real } = globalThis;
    let made = 0;
    globalThis.AbortController = class extends real {
      constructor() {
        super();
        made++;
      }
    };
    try {
      const { tool, flow } = bench();
      flow.add((asi) => {
        asi.setTimeout(5);
        asi.setCancel(() => {});
        asi.add(
          (inner) => inner.setTimeout(1),
          (inner) => inner.success(),
        );
      });
      flow.add((asi) => void asi.signal);
      flow.execute();
      await tool.run();
    } finally {
      globalThis.AbortController = real;
    }
    expect(made).to.equal(1);
  });

  it('asyncDispose cancels the flow and settles when that is closed', async () => {
    const seen: string[] = [];
    const flow = new AsyncSteps();
    {
      await using running = flow;
      running.add((asi) => {
        asi.defer((cleanup) => {
          cleanup.add(delay(5)).add(() => void seen.push('cleaned up'));
        });
        asi.waitExternal();
      });
      running.execute(({ kind }) => void seen.push(kind));
      await sleep(1);
    }
    expect(seen).to.deep.equal(['cleaned up', 'cancelled']);
    expect(flow.running()).to.equal(false);
  });

  it('a million flows on one long-lived signal leave nothing on it', async () => {
    const { signal } = new AbortController();
    const one = () => new AsyncSteps().add((asi) => asi.success(1)).promise({ signal });
    const batch = 1000;
    const round = async () => {
      const all = Array.from({ length: batch }, one);
      expect(listeners(signal)).to.equal(1);
      await Promise.all(all);
      expect(listeners(signal)).to.equal(0);
    };
    for (let i = 0; i < 50; i++) await round();
    gc();
    const before = process.memoryUsage().heapUsed;
    for (let i = 50; i < 1000; i++) await round();
    gc();
    expect(process.memoryUsage().heapUsed - before).to.be.below(1024 * 1024);
  });

  it('many flows that wait on one signal are no leak that Node warns of', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => void warnings.push(warning);
    process.on('warning', warned);
    const controller = new AbortController();
    const flows = Array.from({ length: 100 }, () =>
      new AsyncSteps().add((asi) => void asi.waitExternal()),
    );
    const ends = flows.map((flow) => flow.promise({ signal: controller.signal }).catch(() => 0));
    await sleep(5);
    controller.abort();
    await Promise.all(ends);
    process.off('warning', warned);
    expect(warnings).to.deep.equal([]);
  });

  describe('given to', () => {
    /** Runs a body under a deadline; returns what its promise was rejected with. */
    async function late(body: (asi: IAsyncSteps) => Promise<unknown>, ms = 20): Promise<any> {
      let rejected: unknown;
      const flow = new AsyncSteps();
      flow.add(
        (asi) => {
          asi.setTimeout(ms);
          return body(asi).catch((error) => {
            rejected = error;
            throw error;
          });
        },
        (asi, code) => {
          if (code === errors.Timeout) asi.success('late');
        },
      );
      expect(await flow.promise()).to.equal('late');
      await sleep(1);
      return rejected;
    }

    it('fetch: the server sees the disconnect', async () => {
      const server: Server = createServer();
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const disconnected = new Promise<boolean>((resolve) => {
        server.on('request', (_, response) => {
          response.on('close', () => resolve(!response.writableEnded));
        });
      });
      const { port } = server.address() as AddressInfo;
      const rejected = await late(
        (asi) => fetch(`http://127.0.0.1:${port}`, { signal: asi.signal }),
        1000,
      );
      expect(rejected.code).to.equal('Timeout');
      expect(await disconnected).to.equal(true);
      server.close();
      await once(server, 'close');
    });

    it('fetch: nobody is told that it was stopped with its step, in whatever way', async () => {
      const server: Server = createServer(() => {});
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const own = (asi: IAsyncSteps) => {
        const controller = new AbortController();
        asi.setCancel(() => controller.abort());
        return controller.signal;
      };
      const bodies: ((asi: IAsyncSteps) => unknown)[] = [
        (asi) => fetch(url, { signal: asi.signal }),
        async (asi) => (await fetch(url, { signal: asi.signal })).text(),
        async (asi) => Promise.all([1, 2].map(() => fetch(url, { signal: asi.signal }))),
        (asi) => asi.add((inner) => inner.await(fetch(url, { signal: inner.signal }))),
        (asi) => fetch(url, { signal: own(asi) }),
        async (asi) => fetch(url, { signal: AbortSignal.any([asi.signal as AbortSignal]) }),
      ];
      const late = (end: (asi: IAsyncSteps) => unknown) => steps(delay(20), end);
      const ways: ((body: (asi: IAsyncSteps) => unknown) => Step)[] = [
        (body) => step(body).timeout(20),
        (body) =>
          all(
            body,
            late((asi) => asi.error('Sibling')),
          ),
        (body) =>
          race(
            body,
            late(() => 'won'),
          ),
      ];
      const told: string[] = [];
      const hooks = {
        report: (code: string) => void told.push(`report ${code}`),
        unhandled: (code: string) => void told.push(`unhandled ${code}`),
      };
      const ends: Promise<unknown>[] = [];
      for (const body of bodies) {
        for (const way of ways) ends.push(run(way(body), hooks));
        ends.push(run(body, { ...hooks, signal: AbortSignal.timeout(20) }));
        const flow = new AsyncSteps(hooks).add(body);
        ends.push(flow.promise());
        setTimeout(() => flow.cancel('stop'), 20);
      }
      const codes = await Promise.all(ends.map((end) => end.catch(({ code }) => code)));
      await sleep(20);
      server.closeAllConnections();
      server.close();
      const each = ['Timeout', 'Sibling', 'won', 'Canceled', 'Canceled'];
      expect(codes).to.deep.equal(bodies.flatMap(() => each));
      expect(told).to.deep.equal([]);
    });

    it('timers/promises', async () => {
      const started = performance.now();
      const rejected = await late((asi) => sleep(10_000, undefined, { signal: asi.signal }));
      expect(performance.now() - started).to.be.below(5000);
      expect([rejected.name, rejected.cause.code]).to.deep.equal(['AbortError', 'Timeout']);
    });

    it('events.once', async () => {
      const emitter = new EventEmitter();
      const rejected = await late((asi) => once(emitter, 'never', { signal: asi.signal }));
      expect(rejected.name).to.equal('AbortError');
      expect(emitter.listenerCount('never')).to.equal(0);
    });

    it('a stream pipeline', async () => {
      const source = new Readable({ read: () => {} });
      const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
      const rejected = await late((asi) => pipeline(source, sink, { signal: asi.signal }));
      expect(rejected.name).to.equal('AbortError');
      expect([source.destroyed, sink.destroyed]).to.deep.equal([true, true]);
    });
  });
});
