import { expect } from 'chai';
import { strays } from '../stems.js';

const places = (of: Record<string, string[]>) =>
  new Map(Object.entries(of).map(([name, stems]) => [name, new Set(stems)]));

describe('tools/stems', () => {
  const js = places({ close: ['frame'], settle: ['settle'], only: ['loop'], print: ['clock'] });
  const cpp = places({ close: ['step', 'tree'], settle: ['run', 'settle'], print: ['end'] });

  it('finds a name whose files have no stem in common', () => {
    expect(strays(js, cpp, new Set(['print']))).to.deep.equal([
      'close: frame in JS, step,tree in C++',
    ]);
  });

  it('finds a homonym that is none any more, and too many of them', () => {
    const names = ['print', 'close', ...'abcdefghi'];
    expect(strays(js, cpp, new Set(names))).to.deep.equal([
      ...[...'abcdefghi'].map((name) => `${name}: is no homonym`),
      '11 homonyms',
    ]);
  });
});
