import { expect } from 'chai';
import { failures } from '../check/failures.js';

const manyLines = Array.from({ length: 100 }, (_, i) => `line ${i}`);

describe('failures', () => {
  it("shows mocha's list, not the tests before it", () => {
    const list = '  1 failing\n\n  1) a suite\n       a test:\n     Error: no';
    const output = `${manyLines.join('\n')}\n  2 passing (3s)\n${list}\n\n`;
    expect(failures(output)).to.equal(list);
  });

  it('shows the beginning of a long list', () => {
    const output = ['  99 failing', ...manyLines].join('\n');
    expect(failures(output)).to.equal(['  99 failing', ...manyLines.slice(0, 79)].join('\n'));
  });

  it('shows the last lines of what has no such list', () => {
    expect(failures(manyLines.join('\n'))).to.equal(manyLines.slice(20).join('\n'));
  });
});
