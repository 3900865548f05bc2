import { expect } from 'chai';
import { errors, type StepError } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

describe('race and any', () => {
  it('return what takes branches, and refuse bad arguments at the call', () => {
    const { flow } = bench();
    for (const call of ['race', 'any'] as const) {
      const branches = flow[call]();
      expect(branches.add(() => {}).repeat(1, () => {})).to.equal(branches);
      const thrown = thrownBy(() => flow[call]('no handler' as never));
      expect(thrown.code).to.equal(errors.InternalError);
      expect(thrown.info).to.contain(call).and.to.contain("got 'no handler'");
    }
  });

  it('AllFailed has the very exceptions of the branches in also, in the order of adding', async () => {
    const { flow, run } = bench();
    const first = new Error('first');
    const last = new RangeError('last');
    flow
      .any()
      .add((asi) => void asi.add(() => Promise.reject(first)))
      .add((asi) => asi.error('Second', 'info'))
      .add(() => {
        throw last;
      });
    const { error, code } = (await run())!;
    const { also } = error as StepError;
    expect(code).to.equal(errors.AllFailed);
    expect([also[0], also[2]]).to.deep.equal([first, last]);
    expect(also[1]).to.include({ code: 'Second', info: 'info', path: '0/|1' });
  });

  it('a hundred thousand branches of an any fail', async () => {
    const { flow, run } = bench();
    let failed = 0;
    const any = flow.any((asi) => {
      failed = (asi.state.last_exception as StepError).also.length;
      asi.success();
    });
    for (let i = 0; i < 100_000; i++) any.add((asi) => asi.errorNoThrow('X'));
    expect((await run())?.kind).to.equal('ok');
    expect(failed).to.equal(100_000);
  });
});
