import { expect } from 'chai';
import { any, errors, type IAsyncSteps, race, type StepError } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

describe('race and any', () => {
  it('refuse what is no branch or no handler at the call', () => {
    for (const [name, call] of Object.entries({ race, any })) {
      const bad: [string, () => unknown][] = [
        [name, () => call(() => {}, 'no branch' as never)],
        ['onError', () => call(() => {}).onError('no handler' as never)],
      ];
      for (const [said, make] of bad) {
        const thrown = thrownBy(make);
        expect(thrown.code).to.equal(errors.InternalError);
        expect(thrown.info).to.contain(said).and.to.contain("got 'no ");
      }
    }
  });

  it('AllFailed has the very exceptions of the branches in also, in the order of adding', async () => {
    const { flow, run } = bench();
    const first = new Error('first');
    const last = new RangeError('last');
    flow.add(
      any(
        (asi) => void asi.add(() => Promise.reject(first)),
        (asi) => asi.error('Second', 'info'),
        () => {
          throw last;
        },
      ),
    );
    const { error, code } = (await run())!;
    const { also } = error as StepError;
    expect(code).to.equal(errors.AllFailed);
    expect([also[0], also[2]]).to.deep.equal([first, last]);
    expect(also[1]).to.include({ code: 'Second', info: 'info', path: '0/|1' });
  });

  it('a hundred thousand branches of an any fail', async () => {
    const { flow, run } = bench();
    let failed = 0;
    const branch = (asi: IAsyncSteps) => asi.errorNoThrow('X');
    const branches = any(...Array.from({ length: 100_000 }, () => branch));
    flow.add(branches, (asi) => {
      failed = (asi.state.last_exception as StepError).also.length;
      asi.success();
    });
    expect((await run())?.kind).to.equal('ok');
    expect(failed).to.equal(100_000);
  });
});
