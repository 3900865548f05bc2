// What users do by mistake, and what tests do to the platform.

import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { AsyncSteps, State } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

describe('mistakes', () => {
  it('a generator function as a body fails its step', async () => {
    const bodies = [
      function* () {
        yield 1;
      },
      async function* () {
        yield 1;
      },
    ];
    for (const body of bodies) {
      const { flow, run } = bench();
      flow.add(body as never);
      const outcome = await run();
      expect(outcome?.code).to.equal('InternalError');
      expect(`${outcome?.error}`).to.include('a generator function is no body');
    }
    const { flow, run } = bench();
    flow.add(() => ({ next() {} }));
    expect((await run())?.kind).to.equal('ok');
  });

  it('any text is a key of the state, and none is there before it was set', async () => {
    const { state } = new AsyncSteps();
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
      expect(key in state, key).to.equal(false);
      state[key] = { error_info: 'mine' };
      expect(state[key]).to.deep.equal({ error_info: 'mine' });
    }
    expect(state).to.be.instanceOf(State);
    expect(state.error_info).to.equal(undefined);
    expect(Object.keys(state)).to.have.length(5);
  });

  it("a state that has keys of the runtime's is refused, one that two flows share is not", () => {
    for (const key of ['error_info', 'last_exception', 'async_stack']) {
      const { code, info } = thrownBy(() => new AsyncSteps({ state: { [key]: 'mine' } }));
      expect([code, info]).to.deep.equal(['InternalError', `state: ${key} is the runtime's`]);
    }
    const shared = { count: 0 };
    for (let i = 0; i < 2; i++) expect(new AsyncSteps({ state: shared }).state).to.equal(shared);
  });

  it('a map of another realm is a map, one with an iterator of its own is what that gives', async () => {
    class Values extends Map<string, number> {
      override [Symbol.iterator](): any {
        return this.values();
      }
    }
    class Odd extends Map<string, number> {
      override *[Symbol.iterator](): any {
        yield 'x';
      }
    }
    const pairs: [string, number][] = [['a', 1]];
    const sources: [any, unknown[]][] = [
      [new Map(pairs), ['a', 1]],
      [runInNewContext("new Map([['a', 1]])"), ['a', 1]],
      [new Odd(pairs), [0, 'x']],
      [new Map(pairs).values(), [0, 1]],
      [new Map(pairs).entries(), [0, ['a', 1]]],
    ];
    for (const [source, expected] of sources) {
      const { flow, run } = bench();
      let seen: unknown;
      flow.forEach(source, (_, key, value) => {
        seen = [key, value];
      });
      expect((await run())?.kind).to.equal('ok');
      expect(seen).to.deep.equal(expected);
    }
    expect([...new Values(pairs)]).to.deep.equal([1]);
  });

  it('an endless loop starves nobody if the clock stands still', async function () {
    this.timeout(60_000);
    const { now } = performance;
    performance.now = () => 5;
    const flow = new AsyncSteps();
    let rounds = 0;
    flow.loop(() => {
      if (++rounds > 5_000_000) throw new Error('nobody else had a turn');
    });
    try {
      flow.execute();
      for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
    } finally {
      performance.now = now;
      flow.cancel();
    }
    expect(rounds).to.be.greaterThan(0);
  });
});
