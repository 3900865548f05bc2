// Signals that aren't the platform's, or are so only half.

import { expect } from 'chai';
import type { AsyncSteps, IOutcome, ISignal } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

type Odd = ISignal & { aborted: boolean };

/** A signal that does what one should, but for what is given. */
function odd(how: PropertyDescriptorMap = {}): Odd & { abort(): void } {
  const listeners = new Set<any>();
  const signal = {
    aborted: false,
    addEventListener: (_: string, listener: any) => void listeners.add(listener),
    removeEventListener: (_: string, listener: any) => void listeners.delete(listener),
    abort() {
      signal.aborted = true;
      for (const each of listeners) each.handleEvent();
    },
  };
  return Object.defineProperties(signal, how) as never;
}

const broken = () => {
  throw new Error('broken');
};

describe('odd signals', () => {
  for (const kind of ['ok', 'error', 'cancelled', 'aborted', 'aborted before'] as const) {
    it(`a signal whose removeEventListener throws is told to report, and its flow ends once: ${kind}`, async () => {
      const reported: unknown[] = [];
      const { flow, tool } = bench({ report: (...told) => reported.push(told.slice(0, 2)) });
      const signal = odd({ removeEventListener: { value: broken } });
      flow.add((asi) => {
        if (kind === 'error') asi.error('E');
        else if (kind !== 'ok') asi.waitExternal();
      });
      const ends: IOutcome[] = [];
      if (kind === 'aborted before') signal.abort();
      flow.execute((outcome) => void ends.push(outcome), { signal });
      tool.deferred(5, () => (kind === 'cancelled' ? flow.cancel() : signal.abort()));
      await tool.run();
      const before = kind === 'aborted before';
      expect(ends.map((end) => end.kind)).to.deep.equal([
        kind.startsWith('a') ? 'cancelled' : kind,
      ]);
      expect(flow.running()).to.equal(false);
      expect(reported).to.deep.equal(before ? [] : [['InternalError', 'broken']]);
    });
  }

  it('a flow that its signal executes, cancels or adds to while that is asked is started once', async () => {
    const acts: [(flow: AsyncSteps) => void, string][] = [
      [(flow) => flow.execute(), 'ok'],
      [(flow) => void flow.promise().catch(() => {}), 'ok'],
      [(flow) => flow.cancel('within'), 'cancelled'],
    ];
    for (const [act, kind] of acts) {
      for (const place of ['addEventListener', 'aborted'] as const) {
        const { flow, tool } = bench();
        const ends: string[] = [];
        let refused = 0;
        const within = () => {
          try {
            act(flow);
          } catch {
            refused++;
          }
          return false;
        };
        const signal = odd({
          [place]: place === 'aborted' ? { get: within } : { value: within },
        });
        flow.add((asi) => asi.success(1));
        const start = () => flow.execute((outcome) => void ends.push(outcome.kind), { signal });
        const executes = kind === 'ok';
        if (place === 'aborted' && executes) expect(thrownBy(start).code).to.equal('InternalError');
        else start();
        await tool.run();
        if (place === 'aborted') expect(ends).to.deep.equal(executes ? [] : ['ok']);
        else expect([ends, refused]).to.deep.equal([[kind], executes ? 1 : 0]);
        expect(flow.running()).to.equal(false);
      }
    }
  });

  it('a signal whose addEventListener throws throws to the caller and leaves the flow as it was', async () => {
    const { flow, run } = bench();
    flow.add((asi) => asi.success(1));
    const signal = odd({ addEventListener: { value: broken } });
    for (const start of [() => flow.execute(() => {}, { signal }), () => flow.promise({ signal })])
      expect(start).to.throw('broken');
    expect(flow.running()).to.equal(false);
    expect((await run())?.values).to.deep.equal([1]);
  });

  it('a flow that starts while its signal is asked, which fails for another one, hears of that signal', async () => {
    const { flow, tool } = bench();
    const ends: string[] = [];
    let asked = 0;
    const signal = odd();
    const listen = signal.addEventListener;
    const within = (type: 'abort', listener: unknown) => {
      if (asked++ > 0) return listen(type, listener);
      tool.start((asi) => void asi.waitExternal(), {
        signal,
        done: ({ kind }) => void ends.push(kind),
      });
      return broken();
    };
    signal.addEventListener = within;
    expect(() => flow.execute(undefined, { signal })).to.throw('broken');
    tool.deferred(5, () => signal.abort());
    await tool.run();
    expect(ends).to.deep.equal(['cancelled']);
  });

  it('a signal that calls its listener at once, twice, or whose reason throws cancels its flow once', async () => {
    const ways: PropertyDescriptorMap[] = [
      { addEventListener: { value: (_: string, each: any) => each.handleEvent() } },
      {
        addEventListener: {
          value: (_: string, each: any) => {
            each.handleEvent();
            each.handleEvent();
          },
        },
      },
      { reason: { get: broken }, aborted: { value: true } },
    ];
    for (const how of ways) {
      const { flow, tool } = bench();
      const ends: string[] = [];
      flow.add((asi) => void asi.waitExternal());
      flow.execute(({ kind }) => void ends.push(kind), { signal: odd(how) });
      await tool.run();
      expect(ends).to.deep.equal(['cancelled']);
    }
  });

  it('what is not options is refused: a signal, a number, a function, null', async () => {
    const { flow, run } = bench();
    flow.add((asi) => asi.success(1));
    const { signal } = new AbortController();
    for (const no of [signal, 5, 'abort', () => {}, null] as never[]) {
      for (const start of [() => flow.execute(undefined, no), () => flow.promise(no)]) {
        const { code, info } = thrownBy(start);
        expect(code).to.equal('InternalError');
        expect(info).to.match(/^(execute|promise): expected options/);
      }
    }
    expect((await run())?.values).to.deep.equal([1]);
  });
});
