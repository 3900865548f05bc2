import { expect } from 'chai';
import { rowsOf, shorten } from '../start/sidebyside.js';

describe('Answers side by side', () => {
  it('are shown whole, over several rows if they are long', () => {
    expect(rowsOf(['abcdefg\nh', 'abcd'], false, 3)).to.deep.equal([
      'abc <-> abc',
      'def <-> d  ',
      'g   <->    ',
      'h   <->    ',
    ]);
    expect(rowsOf(['a\n\nb\n', 'a\n\nb\n'], true, 1)).to.deep.equal([
      'a  =  a',
      '   =   ',
      'b  =  b',
    ]);
    expect(rowsOf(['', ''], true, 2)).to.deep.equal(['    =    ']);
  });

  it('come behind commands that say how much of them is left out', () => {
    expect(shorten('x'.repeat(40), 40)).to.equal('x'.repeat(40));
    expect(shorten('x'.repeat(1000), 40)).to.equal(`${'x'.repeat(16)}... (984 more)`);
  });
});
