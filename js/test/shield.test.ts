import { expect } from 'chai';
import { AsyncSteps, type IAsyncSteps, shield } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

describe('shield and defer', function () {
  this.timeout(60_000);

  it('defer of something that is no function throws InternalError and registers nothing', async () => {
    const { flow, run, told } = bench();
    flow.add((asi) => {
      for (const no of [undefined, null, 5, 'fn', {}]) {
        const error = thrownBy(() => asi.defer(no as never));
        expect(error.code).to.equal('InternalError');
        expect(error.info).to.match(/^defer: expected a function, got /);
      }
    });
    expect((await run())?.kind).to.equal('ok');
    expect(told).to.deep.equal([]);
  });

  it('a limit that is no number throws InternalError', () => {
    for (const limit of [undefined, '5', null]) {
      const error = thrownBy(() => new AsyncSteps().add(shield(limit as never, () => {})));
      expect(error.code).to.equal('InternalError');
      expect(error.info).to.match(/^shield: expected milliseconds/);
    }
  });

  it('a hundred thousand nested shields and cleanups end without recursion', async () => {
    const DEPTH = 100_000;
    const shields = bench({ burst: 1_000_000 });
    const nested = (left: number) => (asi: IAsyncSteps) => {
      if (left > 0) asi.add(shield(90_000, nested(left - 1)));
      else asi.setTimeout(20_000);
    };
    shields.flow.add(nested(DEPTH), (asi) => asi.success());
    shields.tool.deferred(10_000, () => shields.flow.cancel());
    expect((await shields.run())?.kind).to.equal('cancelled');

    const cleanups = bench({ burst: 1_000_000 });
    const defer = (left: number) => (asi: IAsyncSteps) => {
      if (left > 0) asi.defer(defer(left - 1));
      else asi.error('E');
    };
    cleanups.flow.add(defer(DEPTH));
    expect((await cleanups.run())?.code).to.equal('E');
  });
});
