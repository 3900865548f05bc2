import { expect } from 'chai';
import { mutationsOf, shuffled } from '../mutations.js';

const changes = (line: string) => mutationsOf('a.ts', `{\n${line}\n}\n`).map(({ to }) => to.trim());

describe('mutations', () => {
  it('are small changes of one line of code', () => {
    expect(changes('  if (a < b && !c(d)) return;')).to.have.members([
      'if (a <= b && !c(d)) return;',
      'if (a < b || !c(d)) return;',
      'if (!(a < b && !c(d))) return;',
    ]);
    expect(changes('  this.done = true;')).to.have.members(['this.done = false;', ';']);
    expect(changes('  step->close(line);')).to.deep.equal([';']);
  });

  it('leave declarations, comments, texts and locks alone', () => {
    const lines = [
      'import a from b;',
      '  // a && b',
      "  say('a && b');",
      '  lock(m);',
      'a(b && c);',
    ];
    for (const line of lines) expect(changes(line), line).to.deep.equal([]);
  });

  it('come in the order of a seed', () => {
    const list = mutationsOf('a.ts', '{\n  a(b && c, d && e, f || g);\n}\n');
    const orders = [1, 2, 3].map((seed) => JSON.stringify(shuffled(list, seed)));
    expect(new Set(orders).size).to.be.above(1);
    expect(JSON.stringify(shuffled([...list].reverse(), 1))).to.equal(orders[0]);
  });
});
