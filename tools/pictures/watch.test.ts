import { expect } from 'chai';
import { crossings, outside } from './words.js';
import { Watch } from './watch.js';

describe('a watched flow', () => {
  it('has a row for each step, in the order of the tree, with what it did when', async () => {
    const watch = new Watch();
    const outer = watch.step('outer', 2, (asi) => void asi.add(watch.waits('inner', 3)));
    const { rows } = await watch.panel((asi) => void asi.add(outer).add(watch.waits('next', 1)));
    expect(
      rows.map(({ name, depth, bars, end, cut }) => [name, depth, bars, end, cut]),
    ).to.deep.equal([
      [
        'outer',
        0,
        [
          { from: 0, to: 2, kind: 'runs' },
          { from: 2, to: 5, kind: 'inside' },
        ],
        '',
        false,
      ],
      ['inner', 1, [{ from: 2, to: 5, kind: 'waits' }], '', false],
      ['next', 0, [{ from: 5, to: 6, kind: 'waits' }], '', false],
    ]);
  });

  it('tells what a deadline has cut, the order of calls, and a cleanup', async () => {
    const watch = new Watch();
    const slow = watch.step('slow', 0, (asi) => {
      watch.deadline(asi, 4);
      asi.setCancel((gone) => watch.number(gone));
      asi.defer((step) => void step.add(watch.cleanup('give back', 2)));
      asi.add(watch.waits('long', 10));
    });
    const { rows, moments } = await watch.panel(slow);
    expect(moments).to.deep.equal([{ at: 4, words: 'deadline' }]);
    const [outer, inner, cleanup] = rows;
    expect([outer!.end, outer!.cut, outer!.badges]).to.deep.equal([
      'Timeout',
      true,
      [{ at: 4, number: 1 }],
    ]);
    expect(outer!.bars.at(-1)).to.deep.equal({ from: 4, to: 6, kind: 'leaving' });
    expect([inner!.end, inner!.cut]).to.deep.equal(['cancelled', true]);
    expect([cleanup!.bars, cleanup!.badges, cleanup!.cut]).to.deep.equal([
      [{ from: 4, to: 6, kind: 'cleanup' }],
      [{ at: 4, number: 2 }],
      false,
    ]);
  });
});

describe('words of a picture', () => {
  const at = (x: number, y: number) => `<text x="${x}" y="${y}" font-size="10">words</text>`;

  it('cross each other where they are too near', () => {
    expect(crossings(at(0, 20) + at(20, 25))).to.deep.equal(["'words' and 'words'"]);
    expect(crossings(at(0, 20) + at(40, 20) + at(0, 32))).to.deep.equal([]);
  });

  it('leave the picture at its sides', () => {
    expect(outside(at(-1, 20) + at(80, 20), 100)).to.deep.equal(['words', 'words']);
    expect(outside(at(0, 20), 100)).to.deep.equal([]);
  });
});
