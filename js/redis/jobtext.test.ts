import { expect } from 'chai';
import { jsonOf, payloadIn } from '../src/jobtext.js';
import { chanceOf } from '../test/chance.js';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0;

const large = {
  numbers: Array.from({ length: 150_000 }, (_, i) => 1000 + (i % 1000)),
  'one text': ['x'.repeat(740_000)],
  'texts of two and three bytes': ['ä€'.repeat(200_000)],
  'texts with quotes': ['\\"'.repeat(180_000)],
  records: Array.from({ length: 9000 }, (_, id) => ({
    id,
    name: `name ${id}`,
    tags: ['aa', 'bb'],
    note: 'lorem ipsum dolor',
  })),
};

/** How much more of the processor the first takes, of the best of some times of both, which are measured in turn. */
function ratioOf(one: () => unknown, other: () => unknown): number {
  const best = [Infinity, Infinity];
  for (let round = 0; round < 30; round++)
    for (const [i, fn] of [one, other].entries()) {
      const begun = process.cpuUsage();
      fn();
      const { user, system } = process.cpuUsage(begun);
      best[i] = Math.min(best[i]!, user + system);
    }
  return best[0]! / best[1]!;
}

describe('what is said by JSON', () => {
  it('is as deep and as large as it may be, and no more', () => {
    const chance = chanceOf(7);
    const texts = ['', 'x', '"', '\\', '[[{', ']}', '"[', 'ä{', '€', '\u{1F600}', '\ud800'];
    const made = (left: number): unknown => {
      const kind = chance(left > 0 ? 4 : 2);
      if (kind === 0) return texts[chance(texts.length)];
      if (kind === 1) return chance(1000);
      const values = Array.from({ length: chance(4) }, () => made(left - 1));
      return kind === 2
        ? values
        : Object.fromEntries(values.map((value, i) => [texts[i + 4], value]));
    };
    for (let i = 0; i < 2000; i++) {
      const value = made(6);
      const depth = depthOf(value);
      const bytes = Buffer.byteLength(JSON.stringify(value));
      const text = jsonOf('x', value, { maxBytes: bytes, maxDepth: depth });
      expect(payloadIn(text, depth)).to.deep.equal(value);
      expect(() => jsonOf('x', value, { maxBytes: bytes - 1, maxDepth: depth })).to.throw(
        `x: it has ${bytes} bytes, ${bytes - 1} are allowed`,
      );
      if (depth === 0) continue;
      const few = depth - 1;
      expect(() => payloadIn(text, few)).to.throw(`is more than ${few} levels deep`);
      expect(() => jsonOf('x', value, { maxBytes: bytes, maxDepth: few })).to.throw(
        `x: it is more than ${few} levels deep`,
      );
    }
  });

  for (const [what, value] of Object.entries(large))
    it(`holds the event loop hardly longer than JSON does: ${what}`, () => {
      const limits = { maxBytes: 1_048_576, maxDepth: 64 };
      const looked = () => payloadIn(jsonOf('x', value, limits), 64);
      const alone = () => JSON.parse(JSON.stringify(value));
      expect(ratioOf(looked, alone)).to.be.below(2.5);
    });
});
