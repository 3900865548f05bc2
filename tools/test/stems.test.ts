import { expect } from 'chai';
import { againstTable, strays } from '../stems.js';

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

  it('finds a file that the table does not name, or in a wrong column', () => {
    const table = '| [a](a.md) | about | `tree` `gone` | `heir` | `run` |';
    const [js, cpp] = [new Set(['tree', 'heir', 'run']), new Set(['tree', 'run', 'new'])];
    expect(againstTable(table, js, cpp)).to.deep.equal([
      "js/src/run isn't where it belongs in the table",
      'the table has gone, js/src has not',
      "cpp/src/run isn't where it belongs in the table",
      "cpp/src/new isn't where it belongs in the table",
      'the table has gone, cpp/src has not',
    ]);
  });
});
