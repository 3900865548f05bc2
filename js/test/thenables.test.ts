// biome-ignore-all lint/suspicious/noThenProperty: hostile thenables are what is tested

import { expect } from 'chai';
import { bench } from './bench.js';

/** How a flow ends that awaits it, and how one ends whose body returns it. */
async function both(make: () => any): Promise<unknown[]> {
  const awaiting = bench();
  awaiting.flow.add((asi) => asi.await(make()));
  const returning = bench();
  returning.flow.add(() => make());
  const ends = [await awaiting.run(), await returning.run()];
  return ends.map((end) => end?.code ?? end?.values?.[0] ?? end?.kind);
}

describe('thenables', () => {
  it('one that settles at once is taken', async () => {
    expect(await both(() => ({ then: (ok: any) => ok('v') }))).to.deep.equal(['v', 'v']);
    expect(await both(() => ({ then: (_: any, bad: any) => bad('E') }))).to.deep.equal(['E', 'E']);
  });

  it('a frozen promise is as good as another, whatever becomes of it', async () => {
    const frozen = (promise: Promise<unknown>) => () => Object.freeze(promise);
    expect(await both(frozen(Promise.resolve('v')))).to.deep.equal(['v', 'v']);
    expect(await both(frozen(Promise.reject('E')))).to.deep.equal(['E', 'E']);
  });

  it('one that settles twice counts once', async () => {
    const twice = (ok: any, bad: any) => {
      ok('first');
      ok('second');
      bad('E');
    };
    expect(await both(() => ({ then: twice }))).to.deep.equal(['first', 'first']);
  });

  it('one that throws has failed, but not after it has settled', async () => {
    const throwing = () => {
      throw 'Thrown';
    };
    expect(await both(() => ({ then: throwing }))).to.deep.equal(['Thrown', 'Thrown']);
    const settled = (ok: any) => {
      ok('v');
      throw 'Thrown';
    };
    expect(await both(() => ({ then: settled }))).to.deep.equal(['v', 'v']);
  });

  it('one whose then is a throwing getter has failed', async () => {
    const hostile = {
      get then() {
        throw 'Getter';
      },
    };
    expect(await both(() => hostile)).to.deep.equal(['Getter', 'Getter']);
  });

  it('one that gives another thenable is followed', async () => {
    const nested = () => ({ then: (ok: any) => ok({ then: (inner: any) => inner('deep') }) });
    expect(await both(nested)).to.deep.equal(['deep', 'deep']);
  });

  it('a callable one is taken', async () => {
    const callable = () => Object.assign(() => {}, { then: (ok: any) => ok('called') });
    expect(await both(callable)).to.deep.equal(['called', 'called']);
  });

  it('one that never settles is ended by a timer, and its cancel is called once', async () => {
    const { flow, run } = bench();
    let cancelled = 0;
    const never = { then() {}, cancel: () => void cancelled++ };
    flow.add((asi) => {
      asi.setTimeout(5);
      return never;
    });
    expect((await run())?.code).to.equal('Timeout');
    expect(cancelled).to.equal(1);
  });

  it('one that settles by calling into its own flow only claims', async () => {
    const { flow, run } = bench();
    const order: string[] = [];
    flow.add((asi) => {
      asi.await({
        then(ok: any) {
          ok();
          order.push('then returns');
        },
      } as PromiseLike<void>);
      asi.add(() => void order.push('next'));
    });
    await run();
    expect(order).to.deep.equal(['then returns', 'next']);
  });
});
