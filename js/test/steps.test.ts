// Step values at run time: what only JS shows of them.

import { expect } from 'chai';
import {
  all,
  any,
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
  run,
  shield,
  step,
  type Step,
  steps,
  sync,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';

const fails = (code: string) => step((asi) => asi.error(code));
const waits = step((asi) => void asi.waitExternal());
const first = (_asi: IAsyncSteps, ...values: any[]) => values[0];

/** How a flow with that step ends, and where its error comes from. */
async function endOf(value: Part): Promise<string> {
  const { flow, run: start } = bench();
  flow.add(value);
  const outcome = await start();
  if (outcome === null) return 'waits';
  const { kind, values, code, error } = outcome;
  return kind === 'error'
    ? `${code} at ${(error as { path: string }).path}`
    : `${kind} ${values?.join()}`;
}

/** When a flow with that step ends. */
async function endsAt(value: Part): Promise<number> {
  const { flow, tool, run: start } = bench();
  flow.add(value);
  expect((await start())?.kind).to.equal('ok');
  return tool.now();
}

describe('step values', () => {
  it('are left as they are by what is called of them', async () => {
    const value = fails('E');
    const named = value.named('a');
    value.onError((asi: IAsyncSteps) => asi.success('caught'));
    value.timeout(1);
    value.with();
    named.named('b');
    expect(await endOf(value)).to.equal('E at 0');
    expect(await endOf(named)).to.equal('E at a');
  });

  it('do not see what becomes of the lists that they were made of', async () => {
    const parts = [() => 1, () => 2] as const;
    const value = steps(...parts);
    const codes = ['Again'];
    let attempts = 0;
    const tried = retry({ max: 3, backoff: { base: 0 }, on: codes }, () => {
      attempts++;
      throw 'Again';
    });
    (parts as unknown as unknown[]).pop();
    codes[0] = 'Other';
    expect(await endOf(value)).to.equal('ok 2');
    expect(await endOf(tried)).to.equal('Again at 0/#2');
    expect(attempts).to.equal(3);
  });

  it('run many times at once, in flows of any tools', async () => {
    const doubled = steps(
      (_asi, n: number) => n,
      delay(1),
      (asi) => asi.success('over'),
    );
    const tried = retry({ max: 3, backoff: { base: 0 } }, (asi, n: number, attempt: number) => {
      if (attempt < 3) asi.error('Again');
      return n * attempt;
    });
    const both = all(doubled, tried, sync(new Mutex(), first));
    const { flow, tool } = bench();
    const flows = [flow, flow.newInstance(), new AsyncSteps()];
    const ends = flows.map((each, i) => each.add(both.with(i)).promise());
    await tool.run();
    expect(await Promise.all(ends)).to.deep.equal([0, 1, 2].map((i) => ['over', 3 * i, i]));
  });

  it('stand in the place of every body, and get what that would', async () => {
    const seen: unknown[][] = [];
    const part = steps((_asi, ...values: any[]) => void seen.push(values));
    const once = new Mutex();
    const found = (value: Step<any, any>) => steps((asi) => asi.success('a', 'b'), value);
    const places: [Part, unknown[]][] = [
      [found(steps(part)), ['a', 'b']],
      [found(step(part)), ['a', 'b']],
      [found(retry({ max: 1 }, part)), ['a', 'b']],
      [found(sync(once, part)), ['a', 'b']],
      [found(shield(5, part)), ['a', 'b']],
      [found(race(part)), ['a', 'b']],
      [found(any(part)), ['a', 'b']],
      [found(all(part)), ['a', 'b']],
      [found(parallel(part)), []],
      [found(repeat(1, part)), [0]],
      [found(forEach({ k: 'v' }, part)), ['k', 'v']],
      [found(map(['item'], { limit: 1 }, part)), ['item']],
      [(asi) => asi.repeat(1, part), [0]],
      [(asi) => asi.forEach(new Map([[1, 2]]), part), [1, 2]],
      [(asi) => asi.sync(once, part), []],
      [(asi) => asi.parallel().add(part), []],
    ];
    for (const [place, values] of places) {
      expect(await endOf(place)).to.match(/^ok/);
      expect(seen.splice(0)).to.deep.equal([values]);
    }
    expect(await endOf(loop(steps((asi) => asi.break())))).to.equal('ok ');
  });

  it('are given no number of an attempt or item, which their optional parameters would take', async () => {
    const page = step((_asi, id: string, limit = 100) => `${id} ${limit}`);
    expect(await run(retry({ max: 2 }, page).with('x'))).to.equal('x 100');
    expect(await run(map(['a', 'b'], { limit: 2 }, page))).to.deep.equal(['a 100', 'b 100']);
    expect(await run(map(['c'], { limit: 2 }, page.timeout(5).named('n')))).to.deep.equal([
      'c 100',
    ]);
  });

  it('have no element of their own in the place of a body', async () => {
    const bad = fails('E');
    const paths: [Part, string][] = [
      [steps(() => {}, bad), '0/1'],
      [steps(steps(bad.named('in'))).named('out'), 'out/0/in'],
      [bad.timeout(5).with().named('all'), 'all'],
      [bad.named('kept').timeout(5), 'kept'],
      [
        steps(
          () => {},
          bad.with(),
          () => {},
        ),
        '0/1',
      ],
      [bad.named('kept').with(), 'kept'],
      [bad.named('a').with().named('b'), 'b'],
      [bad.named('a').with().named(''), '0'],
      [steps(bad).with().timeout(5), '0/0'],
      [retry({ max: 1 }, bad.named('n').with()), 'n/#0'],
      [race(bad.with().named('b')), '0/|b'],
      [map([1], { limit: 1 }, bad.with().named('b')), 'b/|0'],
      [(asi) => asi.add(bad.with(), undefined, 'n').add(fails('F')), '0/n'],
      [bad.named(''), '0'],
      [sync(new Mutex(), bad.named('n')).named(''), '0'],
      [sync(new Mutex(), bad.named('')), '0'],
      [(asi) => asi.sync(new Mutex(), bad.named('n')), '0/n'],
      [(asi) => asi.repeat(1, bad.named('n'), 'label'), '0/n/#0'],
      [(asi) => void asi.parallel().forEach([1], bad.named('n')), '0/0/|n/#0'],
      [retry({ max: 1 }, bad), '0/#0'],
      [retry({ max: 1 }, steps(bad)), '0/#0/0'],
      [repeat(1, bad.timeout(5)), '0/#0'],
      [race(bad.named('b')), '0/|b'],
      [map([1], { limit: 1 }, bad), '0/|0'],
      [sync(new Mutex(), bad), '0'],
      [shield(5, bad.timeout(5)), '0'],
      [() => bad, '0/0'],
      [(asi) => asi.add(bad, undefined, 'n'), '0/n'],
    ];
    for (const [value, path] of paths) expect(await endOf(value)).to.equal(`E at ${path}`);
  });

  it('in .timeout().onError() the handler sees the Timeout; the other way round it is in time, too', async () => {
    const seen: string[] = [];
    const slow = (name: string) => (asi: IAsyncSteps, code: string) => {
      seen.push(`${name} ${code}`);
      asi.add(delay(10)).add((inner) => inner.success('late'));
    };
    expect(await endOf(waits.timeout(5).onError(slow('a')))).to.equal('ok late');
    expect(await endOf(fails('E').onError(slow('b')).timeout(5).named('t'))).to.equal(
      'Timeout at t',
    );
    expect(await endOf(waits.onError(slow('c')).timeout(5).onError(slow('d')))).to.equal('ok late');
    expect(await endOf(waits.timeout(5).timeout(3).named('t'))).to.equal('Timeout at t');
    expect(seen).to.deep.equal(['a Timeout', 'b E', 'd Timeout']);
  });

  it('each handler hears of what the one left of it lets through', async () => {
    const seen: string[] = [];
    const hears = (name: string, next?: string) => (asi: IAsyncSteps, code: string) => {
      seen.push(`${name} ${code}`);
      if (next !== undefined) asi.error(next);
    };
    const value = fails('A').onError(hears('first', 'B')).onError(hears('second')).named('v');
    const { flow, run: start } = bench();
    flow.add(value, hears('third', 'C'), 'w');
    expect((await start())?.error).to.include({ code: 'C', path: 'w' });
    expect(seen).to.deep.equal(['first A', 'second B', 'third B']);
  });

  it('.with binds values, also none, also in front of others', async () => {
    const count = step((_asi, ...values: any[]) => values.join('+') || 'none');
    expect(await endOf(steps(() => 5, count.with(1, 2)))).to.equal('ok 1+2');
    expect(await endOf(steps(() => 5, count.with()))).to.equal('ok none');
    expect(await endOf((count.with(1) as Step).with(2))).to.equal('ok 1');
    expect(await endOf(retry({ max: 1 }, count.with(7)))).to.equal('ok 7');
  });

  it('a returned one runs as if it had been added', async () => {
    const five = steps(delay(1), () => 5);
    const returns = (asi: IAsyncSteps, code: string) => (code === 'E' ? five : asi.error('F'));
    const since = (act: (asi: IAsyncSteps) => unknown) => (asi: IAsyncSteps) => {
      act(asi);
      return five;
    };
    expect(await endOf(() => five)).to.equal('ok 5');
    expect(await endOf(async () => five)).to.equal('ok 5');
    expect(await endOf(since((asi) => asi.add(() => 1)))).to.equal('ok 5');
    expect(await endOf((asi) => asi.add((inner) => inner.error('E'), returns))).to.equal('ok 5');
    expect(await endOf(fails('E').onError(returns))).to.equal('ok 5');
    expect(await endOf(repeat(2, () => five))).to.equal('ok ');
    expect(await endOf(map([1, 2], { limit: 2 }, () => five))).to.equal('ok 5,5');
    expect(await endOf(since((asi) => asi.success(1)))).to.equal('InternalError at 0');
    expect(await endOf(since((asi) => asi.errorNoThrow('E')))).to.equal('E at 0');
  });

  it('bad arguments are refused where the value is made', () => {
    const five = step(() => 5);
    const bad: any = 7;
    const calls: [string, () => unknown][] = [
      ['step', () => step(bad)],
      ['steps', () => steps(() => {}, bad)],
      ['loop', () => loop(bad)],
      ['loop', () => loop(() => {}, bad)],
      ['repeat', () => repeat(1, bad)],
      ['forEach', () => forEach([], bad)],
      ['parallel', () => parallel(five, bad)],
      ['all', () => all(bad)],
      ['race', () => race(bad)],
      ['any', () => any(bad)],
      ['map', () => map([], { limit: 1 }, bad)],
      ['retry', () => retry({ max: 1 }, bad)],
      ['sync', () => sync(bad, five)],
      ['sync', () => sync(new Mutex(), bad)],
      ['shield', () => shield(1, bad)],
      ['shield', () => shield(Infinity, five)],
      ['delay', () => delay('7' as any)],
      ['timeout', () => five.timeout(-1)],
      ['onError', () => five.onError(bad)],
      ['named', () => five.named(bad)],
      ['with', () => (five as Step).with(1, 2, 3, 4, 5)],
      ['add', () => new AsyncSteps().add(five, bad)],
      ['named', () => new AsyncSteps().add(five, undefined, bad)],
      ['run', () => void run(bad)],
    ];
    for (const [call, make] of calls) {
      const { code, info } = thrownBy(make);
      expect(code, call).to.equal('InternalError');
      expect(info).to.match(new RegExp(`^${call}: `));
    }
  });

  it('are cancelled and timed out at any moment, and what follows runs as if it were the first time', async () => {
    const tick = (asi: IAsyncSteps) => asi.add(delay(1)).add(() => 'late');
    const value = steps(
      tick,
      all(tick, steps(tick, tick)),
      retry({ max: 2, backoff: { base: 1, jitter: 0 } }, (asi, _found, attempt) => {
        asi.add(delay(1)).add((inner) => (attempt === 1 ? inner.error('Again') : 'tried'));
      }),
      sync(new Mutex(), steps(tick, delay(1))),
      race(delay(3), tick),
      map([1, 2], { limit: 1 }, steps(tick)),
      shield(1, delay(0)),
      () => 'end',
    );
    const full = await endsAt(value);
    for (let ms = 0; ms < full; ms++) {
      const { flow, tool, run: start, told } = bench();
      flow.add(value.timeout(ms).onError((asi: IAsyncSteps, code) => asi.success(code)));
      flow.add(value);
      const cancelled = flow.newInstance().add(value);
      let end = '';
      cancelled.execute(({ kind }) => {
        end = kind;
      });
      tool.deferred(ms, () => cancelled.cancel());
      expect((await start())?.values, `after ${ms} ms`).to.deep.equal(['end']);
      expect(end).to.equal('cancelled');
      expect(tool.armedTimers()).to.equal(0);
      expect(told).to.deep.equal([]);
    }
  });

  it('without parts give on what they find; all without branches gives an empty list', async () => {
    expect(await endOf(steps((asi) => asi.success(1, 2), steps()))).to.equal('ok 1,2');
    expect(await endOf(steps())).to.equal('ok ');
    const { flow, run: start } = bench();
    flow.add(steps(() => 5, all()));
    expect((await start())?.values).to.deep.equal([[]]);
    expect(await endOf(steps(() => 5, parallel()))).to.equal('ok ');
    expect(await endOf(race())).to.equal('InternalError at 0');
    expect(await endOf(any())).to.equal('InternalError at 0');
  });

  it('are the same whatever else their flows run, and however often these are filled', async () => {
    const value = steps(
      () => 1,
      step((_asi, n: number) => n + 1),
      (asi, n: number) => (n > 2 ? asi.error('E') : asi.success(n)),
    );
    const more = bench();
    more.flow.add(value).add(value.with()).add(first);
    expect((await more.run())?.values).to.deep.equal([2]);
    more.flow.add(value).cancel();
    more.flow.add(() => {}).add(steps(value, (asi) => asi.error('E')));
    expect((await more.run())?.error).to.include({ path: '1/1' });
    const alone = bench();
    alone.flow.add(value).add((asi) => asi.error('E'));
    expect((await alone.run())?.error).to.include({ path: '1' });
    for (const flow of [alone.flow, alone.flow]) {
      flow.add(steps(value, steps(fails('E')).named('inner')));
      expect((await alone.run())?.error).to.include({ path: '0/inner/0' });
    }
  });
});
