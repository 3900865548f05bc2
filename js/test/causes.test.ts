import { expect } from 'chai';
import { AsyncSteps, type IAsyncSteps, type StepError, retry } from '../src/index.js';
import { bench } from './bench.js';
import { gc } from './gc.js';

const quick = { base: 0, jitter: 0 };
const MEGABYTE = 2 ** 20;

function heapUsed(): number {
  gc();
  return process.memoryUsage().heapUsed;
}

function causesOf(error: unknown): string[] {
  const { cause } = error as StepError;
  if (cause === undefined) return [];
  const { code, info } = cause as StepError;
  return [info === '' ? code : `${code}(${info})`, ...causesOf(cause)];
}

describe('causes', function () {
  this.timeout(60_000);

  it('an endless retry keeps the memory of a short one', async () => {
    const { flow, run } = bench();
    let before = 0;
    let most = 0;
    let causes: string[] = [];
    flow.add(
      retry({ max: 100_000, backoff: quick }, (asi, attempt) => {
        if (attempt === 1000) before = heapUsed();
        if (attempt % 25_000 === 0) most = Math.max(most, heapUsed());
        asi.add((asi) => asi.error('Busy'));
      }).onError((asi) => void (causes = causesOf(asi.state.last_exception))),
    );
    expect((await run())?.code).to.equal('Busy');
    expect(most - before).to.be.lessThan(MEGABYTE);
    expect(causes).to.deep.equal([
      ...Array<string>(6).fill('Busy'),
      'Omitted(errors left out: 99992)',
      'Busy',
    ]);
  });

  it('an error that each attempt throws again stays one error', async () => {
    const { flow, run } = bench();
    let kept: unknown;
    let causes: string[] = [];
    flow.add(
      retry({ max: 20, backoff: quick }, (asi, attempt) => {
        asi.add(
          (asi) => {
            if (attempt > 2) throw kept;
            asi.error(attempt === 1 ? 'First' : 'Again');
          },
          (asi) => void (kept = asi.state.last_exception),
        );
      }).onError((asi) => void (causes = causesOf(asi.state.last_exception))),
    );
    expect((await run())?.code).to.equal('Again');
    expect(causes).to.deep.equal(['First']);
  });

  it('errors of the handlers of 100,000 levels take less than 200 MB', async () => {
    const before = heapUsed();
    let left = 100_000;
    const wrap = (asi: IAsyncSteps): void => {
      if (left-- === 0) asi.error('Bottom');
      asi.add(wrap, (asi) => asi.error('Wrapped'));
    };
    const flow = new AsyncSteps().add(wrap);
    let last: any = await flow.promise().catch((error: unknown) => error);
    expect(heapUsed() - before).to.be.lessThan(200 * MEGABYTE);
    expect(last.path).to.equal('0/0');
    for (let level = 1; level < 100; level++) last = last.cause;
    expect(last.path).to.equal(Array<number>(101).fill(0).join('/'));
    while (last.cause !== undefined) last = last.cause;
    expect(last.path.length).to.equal(200_001);
  });

  it('paths that share their begin name every kind of step', async () => {
    const { flow, run } = bench();
    let inner = '';
    let outer = '';
    const nest = (asi: IAsyncSteps, left: number): void => {
      if (left === 0) asi.error('E');
      asi.add(
        (asi) => {
          asi.repeat(1, (asi) => {
            asi
              .parallel()
              .add(() => {})
              .add((asi) => nest(asi, left - 1));
          });
        },
        (asi) => {
          if (left === 20) inner = asi.state.async_stack!;
          if (left === 21) outer = asi.state.async_stack!;
          if (left === 20) asi.error('Wrapped');
        },
        `s${left}`,
      );
    };
    flow.add(
      (asi) => nest(asi, 60),
      (asi) => asi.success(),
    );
    expect((await run())?.kind).to.equal('ok');
    const way = (to: number): string => {
      const names = Array.from({ length: 61 - to }, (_, i) => `s${60 - i}`);
      return `0/${names.join('/0/#0/0/|1/')}`;
    };
    expect(inner).to.equal(`${way(1)}/0/#0/0/|1`);
    expect(outer).to.equal(way(20));
  });
});
