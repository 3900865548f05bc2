// Real `async` functions as bodies, wherever there is a body.

import { expect } from 'chai';
import {
  type AsyncSteps,
  type IAsyncSteps,
  Mutex,
  type VirtualTool,
  delay,
  map,
  retry,
  shield,
  race,
  any,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';
import { countsRejections } from './hostile.js';

type AsyncBody = (asi: IAsyncSteps, ...values: any[]) => Promise<unknown>;

/** Every place for a body. */
const places: { [name: string]: (flow: AsyncSteps, body: AsyncBody) => unknown } = {
  add: (flow, body) => flow.add(body),
  'a branch': (flow, body) => flow.parallel().add(body),
  race: (flow, body) => flow.add(race(body)),
  any: (flow, body) => flow.add(any(body)),
  loop: (flow, body) => flow.loop(body),
  repeat: (flow, body) => flow.repeat(2, body),
  forEach: (flow, body) => flow.forEach([1, 2], body),
  map: (flow, body) => flow.add(map([1], { limit: 1 }, body)),
  retry: (flow, body) => flow.add(retry({ max: 1 }, body)),
  sync: (flow, body) => flow.sync(new Mutex(), body),
  shield: (flow, body) => flow.add(shield(1000, body)),
  lock: (flow, body) => flow.sync({ lock: body, unlock() {} }, () => {}),
  defer: (flow, body) => flow.add((asi) => asi.defer(body)),
};

/** A promise that the tool settles later. */
const later = (tool: VirtualTool, ms: number) =>
  new Promise<void>((resolve) => void tool.deferred(ms, resolve));

describe('async bodies', () => {
  countsRejections();

  for (const [name, put] of Object.entries(places)) {
    it(`a rejection is the failure of the step: ${name}`, async () => {
      const { flow, tool, told, run } = bench();
      put(flow, async () => {
        await later(tool, 5);
        throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
      });
      const { code } = (await run())!;
      expect(code).to.equal(name === 'any' ? 'AllFailed' : 'ECONNRESET');
      expect(told).to.deep.equal([]);
    });

    it(`what is latched after an await counts: ${name}`, async () => {
      const { flow, tool, run } = bench();
      put(flow, async (asi) => {
        await later(tool, 5);
        asi.error('Later');
      });
      expect((await run())!.code).to.equal(name === 'any' ? 'AllFailed' : 'Later');
    });
  }

  it('the accessor is valid till the function has ended, and no longer', async () => {
    const { flow, tool, run } = bench();
    const seen: unknown[] = [];
    let kept: IAsyncSteps;
    flow.add(async (asi) => {
      kept = asi;
      await later(tool, 1);
      seen.push(asi.valid());
      asi.add(async (inner) => {
        seen.push(asi.valid(), thrownBy(() => asi.success()).code);
        await later(tool, 1);
        inner.success('inner');
      });
      await later(tool, 1);
      seen.push(asi.valid());
    });
    flow.add((asi, value) => asi.success(value));
    expect((await run())!.values).to.deep.equal(['inner']);
    expect(seen).to.deep.equal([true, true, false, 'InternalError']);
    expect(kept!.valid()).to.equal(false);
  });

  it('a function that goes on after its step has ended is refused each call, and what it fails with is told', async () => {
    const calls: ((asi: IAsyncSteps) => unknown)[] = [
      (asi) => asi.success(1),
      (asi) => asi.error('E'),
      (asi) => asi.add(() => {}),
      (asi) => asi.parallel(),
      (asi) => asi.setTimeout(1),
      (asi) => asi.setCancel(() => {}),
      (asi) => asi.waitExternal(),
      (asi) => asi.defer(() => {}),
      (asi) => asi.await(Promise.resolve()),
      (asi) => asi.break(),
    ];
    for (const end of ['cancel', 'timeout', 'error'] as const) {
      const { flow, tool, told, run } = bench();
      const refused: unknown[] = [];
      const late: AsyncBody = async (asi) => {
        await later(tool, 10);
        for (const call of calls) refused.push(thrownBy(() => call(asi)).code);
        throw new Error('late');
      };
      flow.add(
        (asi) => {
          if (end === 'timeout') asi.setTimeout(5);
          const branches = asi.parallel().add(late);
          if (end === 'error')
            branches.add((asi) => asi.add(delay(5)).add((asi) => asi.error('E')));
        },
        (asi, code) => asi.success(code),
      );
      if (end === 'cancel') tool.deferred(5, () => flow.cancel('enough'));
      const outcome = (await run())!;
      const expected = { cancel: 'enough', timeout: 'Timeout', error: 'E' };
      expect(outcome.reason ?? outcome.values?.[0]).to.equal(expected[end]);
      expect(refused).to.deep.equal(calls.map(() => 'InternalError'));
      expect(told).to.deep.equal(['report InternalError']);
    }
  });

  it('a cancel reaches what an async function waits for, by the signal of its step', async () => {
    const { flow, tool, run } = bench();
    const seen: unknown[] = [];
    flow.add(async (asi) => {
      const { signal } = asi;
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }).catch((error) => seen.push(error.code, asi.valid()));
    });
    tool.deferred(5, () => flow.cancel());
    expect((await run())!.kind).to.equal('cancelled');
    expect(seen).to.deep.equal(['Canceled', false]);
  });

  it('loop control works after an await, and the iterations follow one another', async () => {
    const { flow, tool, run } = bench();
    const seen: unknown[] = [];
    flow.loop(async (asi) => {
      const n = (asi.state['n'] = (asi.state['n'] ?? 0) + 1);
      await later(tool, 3 - n);
      seen.push(n);
      if (n === 2) asi.continue();
      if (n === 3) asi.break();
      seen.push('end');
    });
    expect((await run())!.kind).to.equal('ok');
    expect(seen).to.deep.equal([1, 'end', 2, 3]);
  });
});
