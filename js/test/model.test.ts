import { expect } from 'chai';
import {
  type AsyncSteps,
  type Body,
  type IAsyncSteps,
  type IFlow,
  type ISteps,
  Mutex,
  delay,
  map,
  retry,
  shield,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';

describe('model', () => {
  it('a flow uses the state object that it was made with', async () => {
    const state = { a: 1 };
    const { flow, run } = bench({ state });
    flow.add((asi) => {
      asi.state['b'] = asi.state['a'] + 1;
    });
    await run();
    expect(flow.state).to.equal(state);
    expect(state).to.deep.equal({ a: 1, b: 2 });
  });

  it('a state object of its own shows the error views and nothing new to its owner', async () => {
    const state = {};
    const { flow, run } = bench({ state });
    let seen: unknown;
    flow.add(
      (asi) => asi.error('E', 'why'),
      (asi) => {
        seen = asi.state.error_info;
        asi.success();
      },
    );
    await run();
    expect(seen).to.equal('why');
    expect(Object.keys(state)).to.deep.equal([]);
    expect(flow.state.error_info).to.equal(undefined);
  });

  it('a frozen state object is used as it is', async () => {
    const { flow, run } = bench({ state: Object.freeze({ a: 1 }) });
    flow.add((asi) => asi.success(asi.state['a']));
    expect((await run())?.values).to.deep.equal([1]);
  });

  it('adders return what they were called on', async () => {
    const { flow, run } = bench();
    const check = (steps: ISteps) => {
      expect(steps.add(() => {})).to.equal(steps);
      expect(steps.successStep(1)).to.equal(steps);
      expect(steps.loop((asi) => asi.breakLoop())).to.equal(steps);
      expect(steps.repeat(1, () => {})).to.equal(steps);
      expect(steps.forEach([1], () => {})).to.equal(steps);
      expect(steps.await(Promise.resolve())).to.equal(steps);
      expect(steps.relinquish()).to.equal(steps);
      expect(steps.add(map([1], { limit: 1 }, () => {}))).to.equal(steps);
      expect(steps.sync(new Mutex(), () => {})).to.equal(steps);
      expect(steps.add(shield(5, () => {}))).to.equal(steps);
      expect(steps.add(delay(0))).to.equal(steps);
      expect(steps.add(retry({ max: 1 }, () => {}))).to.equal(steps);
    };
    check(flow);
    flow.add((asi) => check(asi));
    expect((await run())?.kind).to.equal('ok');
  });

  it('the exception that the standing latch threw is not a new error', async () => {
    const { flow, run } = bench();
    let first: unknown;
    flow.add((asi) => {
      try {
        asi.error('E');
      } catch (thrown) {
        first = thrown;
        throw thrown;
      }
    });
    const outcome = await run();
    expect(outcome?.error).to.equal(first);
    expect(outcome?.code).to.equal('E');
  });

  it('an exception of a replaced latch that leaves the body is latched again', async () => {
    const { flow, run } = bench();
    flow.add((asi) => {
      const first = thrownBy(() => asi.error('First'));
      asi.errorNoThrow('Second');
      throw first;
    });
    expect((await run())?.code).to.equal('First');
  });

  it('a signal of loop control that is thrown later takes effect then', async () => {
    const { flow, run } = bench();
    let rounds = 0;
    flow.repeat(3, (asi) => {
      rounds++;
      const signal = thrownBy(() => asi.breakLoop());
      asi.errorNoThrow('E');
      throw signal;
    });
    expect((await run())?.kind).to.equal('ok');
    expect(rounds).to.equal(1);
  });

  it('a kept signal of loop control is an InternalError where its loop is not', async () => {
    const { flow, run } = bench();
    let signal: unknown;
    flow.loop((asi) => {
      signal = thrownBy(() => asi.breakLoop());
    });
    flow.add(() => {
      throw signal;
    });
    expect((await run())?.code).to.equal('InternalError');
  });

  it('false is no value of a body, nor of its promise; whatever else is returned is one', async () => {
    const { flow, run } = bench();
    const values = [
      0,
      '',
      'text',
      null,
      true,
      {},
      [1, 2],
      () => {},
      // biome-ignore lint/suspicious/noThenProperty: a then that is no function makes no thenable
      { then: 5 },
      NaN,
      Symbol.iterator,
    ];
    const nothing = [false, undefined];
    const seen: unknown[][] = [];
    for (const value of [...values, ...nothing]) {
      for (const returned of [value, Promise.resolve(value)]) {
        flow.add(() => returned);
        flow.add((_asi, ...got) => void seen.push(got));
      }
    }
    flow.await(Promise.resolve(false)).add((_asi, ...got) => void seen.push(got));
    flow.add((asi) => asi.success(false)).add((_asi, ...got) => void seen.push(got));
    expect((await run())?.kind).to.equal('ok');
    const given = values.flatMap((value) => [[value], [value]]);
    expect(seen).to.deep.equal([...given, [], [], [], [], [false], [false]]);
  });

  it('what adds steps is no value, and what nobody would run or hear of is a mistake', async () => {
    const ends = async (body: Body) => {
      const { tool, flow, run } = bench();
      flow.state['tool'] = tool;
      flow.add(body, (asi, code) => asi.success(`${code}: ${asi.state.error_info}`));
      return (await run())?.values;
    };
    const chains: Body[] = [
      (asi) => asi,
      (asi) => asi.add(() => {}),
      (asi) => asi.parallel(),
      (asi) => asi.parallel().add(() => {}),
    ];
    for (const body of chains) {
      expect(await ends(body)).to.deep.equal([]);
      expect(await ends(async (asi) => body(asi))).to.deep.equal([]);
    }
    const mistakes: [Body, string][] = [
      [(asi) => asi.newInstance(), 'a flow'],
      [(asi) => asi.waitExternal(), 'a completion'],
      [(asi) => asi.state['tool'].deferred(1, () => {}), 'a handle'],
      [(asi) => asi.state['tool'].immediate(() => {}), 'a handle'],
      [function* () {}, 'a generator'],
      [async function* () {}, 'a generator'],
    ];
    for (const [body, what] of mistakes) {
      const text = new RegExp(`^InternalError: a body returned ${what}`);
      expect((await ends(body))?.[0]).to.match(text);
      expect((await ends(async (asi) => body(asi)))?.[0]).to.match(text);
    }
  });

  it('bodies get the accessor and values, handlers the accessor and the code', async () => {
    const { flow, run } = bench();
    const seen: unknown[][] = [];
    flow.successStep(1, 'two');
    flow.add(
      (...all) => {
        seen.push(all.slice(1));
        all[0].error('E');
      },
      (...all: unknown[]) => {
        seen.push(all.slice(1));
        (all[0] as IAsyncSteps).success();
      },
    );
    await run();
    expect(seen).to.deep.equal([[1, 'two'], ['E']]);
  });

  it('break and continue are breakLoop and continueLoop', async () => {
    const { flow, run } = bench();
    const rounds: number[] = [];
    flow.repeat(5, (asi, i) => {
      if (i === 1) asi.continue();
      rounds.push(i);
      if (i === 3) asi.break();
    });
    await run();
    expect(rounds).to.deep.equal([0, 2, 3]);
  });

  it('a new instance has the tool, burst and hooks of its maker and a state of its own', async () => {
    const { tool, flow, told, run } = bench({ burst: 1 });
    let made!: IFlow;
    flow.add((asi) => {
      asi.state['a'] = 1;
      made = asi.newInstance();
      made.add((inner) => inner.error('Lost')).execute();
    });
    await run();
    expect(told).to.deep.equal(['unhandled Lost']);
    expect(made.state['a']).to.equal(undefined);
    const { settings } = made as AsyncSteps;
    expect([settings.tool, settings.burst]).to.deep.equal([tool, 1]);
  });

  it('a name that is refused leaves the level as it is', async () => {
    const { flow, run } = bench();
    let bodies = 0;
    const body = () => void bodies++;
    expect(thrownBy(() => flow.add(body, undefined, 5 as never)).code).to.equal('InternalError');
    expect(thrownBy(() => flow.parallel(undefined, 5 as never)).code).to.equal('InternalError');
    expect(await run()).to.deep.equal({ kind: 'ok', values: [] });
    expect(bodies).to.equal(0);
  });
});
