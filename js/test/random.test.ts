import { expect } from 'chai';
import { AsyncTool, errors, VirtualTool } from '../src/index.js';
import { thrownBy } from './bench.js';

/** The first words of a tool's numbers. */
function words(tool: AsyncTool | VirtualTool, count: number): number[] {
  return Array.from({ length: count }, () => tool.random() * 2 ** 32);
}

describe('random', () => {
  it('numbers of a seed are the same on every tool', () => {
    for (const seed of [0, 1, 4294967295]) {
      const thousand = words(new VirtualTool({ seed }), 1000);
      expect(words(new AsyncTool({ seed }), 1000)).to.deep.equal(thousand);
      const table: Record<number, number> = { 0: 1312086629, 1: 4071296275, 4294967295: 695274267 };
      expect(thousand[999]).to.equal(table[seed]);
    }
    expect(words(new VirtualTool(), 3)).to.deep.equal(words(new VirtualTool({ seed: 0 }), 3));
  });

  it('a tool that is given no seed has numbers of its own', () => {
    expect(words(new AsyncTool(), 4)).not.to.deep.equal(words(new AsyncTool(), 4));
  });

  it('a seed that is no whole number below 2^32 is refused', () => {
    for (const seed of [-1, 0.5, 2 ** 32, Number.NaN, '1', null]) {
      const { code, info } = thrownBy(() => new VirtualTool({ seed: seed as number }));
      expect(code).to.equal(errors.InternalError);
      expect(info).to.contain('seed: expected a whole number');
    }
  });

  it('is 0 or more, below 1, and even', () => {
    const tool = new VirtualTool({ seed: 7 });
    let sum = 0;
    for (let i = 0; i < 10_000; i++) {
      const number = tool.random();
      expect(number).to.be.within(0, 1 - 2 ** -32);
      sum += number;
    }
    expect(sum).to.be.within(4900, 5100);
  });
});
