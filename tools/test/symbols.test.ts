import { expect } from 'chai';
import { functionsOf, lost, reportOf } from '../symbols.js';

describe('the reports of exported functions', () => {
  const printed =
    '0000000000031322 T steptree::Scope::~Scope()\n' +
    '0000000000031330 T steptree::Scope::~Scope()\n' +
    '0000000000031340 W void steptree::any<int>()\n' +
    '000000000004731c T steptree::Scope::close()\n';

  it('have each function that is neither inline nor a template', () => {
    expect(functionsOf(printed)).to.deep.equal([
      'steptree::Scope::close()',
      'steptree::Scope::~Scope()',
    ]);
  });

  it('lose nothing unless the number of the interface rises', () => {
    const before = reportOf(3, ['a()', 'b()']);
    expect(lost(before, reportOf(3, ['a()', 'b()', 'c()']))).to.deep.equal([]);
    expect(lost(before, reportOf(3, ['a()', 'c()']))).to.deep.equal(['b()']);
    expect(lost(before, reportOf(4, ['a()', 'c()']))).to.deep.equal([]);
  });
});
