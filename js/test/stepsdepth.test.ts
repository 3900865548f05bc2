// Step values without end, in numbers, and in one another.

import { expect } from 'chai';
import {
  all,
  AsyncSteps,
  delay,
  forEach,
  type IAsyncSteps,
  loop,
  map,
  Mutex,
  parallel,
  type Part,
  race,
  repeat,
  retry,
  shield,
  step,
  type Step,
  type StepError,
  steps,
  sync,
} from '../src/index.js';
import { bench } from './bench.js';

/** How a flow with that step ends, and its value. */
async function endOf(value: Part): Promise<string> {
  const { flow, run } = bench();
  flow.add(value);
  const { kind, values, code } = (await run())!;
  return kind === 'ok' ? `ok ${values}` : `${code}`;
}

/** Where the error of a flow with that step comes from. */
async function pathIn(value: Part): Promise<string> {
  const { flow, run } = bench();
  flow.add(value);
  const { error } = (await run())!;
  return (error as StepError).path;
}

describe('step values in numbers', function () {
  this.timeout(60_000);

  it('rounds and items that call no body starve nobody', async () => {
    const endless = {
      *[Symbol.iterator]() {
        for (;;) yield 1;
      },
    };
    const idle: Part[] = [
      loop(steps()),
      loop(repeat(1, steps(steps()))),
      repeat(1e9, all()),
      forEach(endless, parallel()),
      map(endless, { limit: 2, sink: () => {} }, steps()),
    ];
    for (const value of idle) {
      expect(await endOf(step(value).timeout(2))).to.equal('Timeout');
      const flow = new AsyncSteps().add(step(value).timeout(2));
      const ended = flow.promise().catch((error) => error.code);
      expect(await ended).to.equal('Timeout');
    }
  });

  it('a million of them in a row, or in one another, take no stack', async () => {
    const thousand = (value: Step<any, any>) =>
      (steps as (...parts: Part[]) => Step)(...Array.from({ length: 1000 }, () => value));
    let ran = 0;
    expect(await endOf(thousand(thousand(step(() => void ran++))))).to.equal('ok ');
    expect(ran).to.equal(1e6);
    let nested: Step = step(() => 'deep');
    for (let i = 0; i < 1e6; i++) nested = i % 2 === 0 ? steps(nested) : nested.with();
    expect(await endOf(nested)).to.equal('ok deep');
  });

  it('have all elements in their paths, however deep or long they are', async () => {
    const idle = () => {};
    let value: Step = steps((asi) => asi.error('E'));
    let inside = '0';
    for (let level = 1; level <= 100; level++) {
      const name = level % 3 === 0 ? `level ${level}` : '';
      const before = Array.from({ length: level % 7 }, () => idle);
      inside = `${level % 7}/${inside}`;
      value = (steps as (...parts: Part[]) => Step)(...before, value, idle).named(name);
      expect(await pathIn(value)).to.equal(`${name || 0}/${inside}`);
      if (name) {
        value = steps(value);
        inside = `${name}/${inside}`;
        expect(await pathIn(value)).to.equal(`0/${inside}`);
      }
    }
  });

  it('thousands of each kind in one another take no stack', async () => {
    const wraps: [(inner: Step) => Step, number?][] = [
      [(inner) => steps(inner)],
      [(inner) => retry({ max: 1 }, inner)],
      [(inner) => shield(60_000, inner)],
      [(inner) => sync(new Mutex(), inner), 5000],
      [(inner) => repeat(1, inner)],
      [(inner) => inner.timeout(60_000)],
      [(inner) => inner.onError(() => {})],
      [(inner) => race(inner), 20_000],
      [(inner) => map([1], { limit: 1, sink: () => {} }, inner), 20_000],
    ];
    for (const [wrap, depth = 100_000] of wraps) {
      for (const innermost of [delay(1), step((asi) => asi.error('E'))]) {
        let value: Step = innermost;
        for (let i = 0; i < depth; i++) value = wrap(value);
        expect(await endOf(value.onError((asi: IAsyncSteps) => asi.success('E')))).to.match(/^ok/);
      }
    }
  });
});
