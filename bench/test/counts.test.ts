import { expect } from 'chai';
import { findings, oddities, tolerance } from '../counts/compare.js';

describe('counted instructions', () => {
  it('may differ by 2 % or by 3, whichever is more', () => {
    expect(tolerance(1000)).to.equal(20);
    expect(tolerance(50)).to.equal(3);
    expect(findings({ step: 53, simple: 1020 }, { step: 50, simple: 1000 })).to.deep.equal([]);
  });

  it('fail when they grow', () => {
    expect(findings({ step: 53.1 }, { step: 50 })).to.deep.equal([
      'step: 53.1 instructions instead of 50',
    ]);
  });

  it('fail when they shrink, so that the figure follows', () => {
    expect(findings({ simple: 979 }, { simple: 1000 })).to.have.length(1);
  });

  it('fail when a scenario has no figure, or a figure no scenario', () => {
    expect(findings({ step: 50 }, {})).to.deep.equal(['step: no figure is checked in']);
    expect(findings({}, { step: 50 })).to.deep.equal(['step: has a figure, but was not counted']);
  });

  it('of an unknown compiler are compared with the order of magnitude of the known ones', () => {
    const book = { 'gcc 12': { step: 50 }, 'clang 14': { step: 80 } };
    expect(oddities({ step: 200, other: 7 }, book)).to.deep.equal([]);
    expect(oddities({ step: 241 }, book)).to.have.length(1);
    expect(oddities({ step: 16 }, book)).to.have.length(1);
  });
});
