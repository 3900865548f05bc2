import { expect } from 'chai';
import { cppServer, jsServerTellingHeap, type ServerCommand } from './servers.js';
import { type Look, soak } from './soak/run.js';
import { growth } from './soak/trend.js';

// `npm run soak` for ten seconds: what is wrong in minutes with some client, or left of some, is so in seconds.

const seconds = 10;

function soakSuite(server: ServerCommand, most: { resident: number; heap: number }): void {
  it(`${server.name}: clients of all kinds are served or left, and nothing stays of them`, async () => {
    const looks: Look[] = [];
    const show = (look: Look) => void looks.push(look);
    const seed = Date.now() % 1e6;
    const options = { seconds, seed, patienceMs: 3000, looks: seconds, growth: most, show };
    const wrong = await soak(server, options);
    expect(wrong, `seed ${seed}`).to.deep.equal([]);
    const { statistics, rejected } = looks.at(-1)!;
    for (const count of [statistics.cancelled, statistics.refused, rejected]) {
      expect(count).to.be.above(0);
    }
  }).timeout(120_000);
}

describe('a soak', () => {
  // So short a time sees Node's heap still being made.
  soakSuite(jsServerTellingHeap, { resident: 32, heap: 2 });
  soakSuite(cppServer, { resident: 3, heap: 0 });

  it('finds what grows, not what has grown at the beginning', () => {
    const noise = (i: number) => (i * 7919) % 13;
    const rising = Array.from({ length: 100 }, (_, i) => i / 10 + noise(i));
    const settled = Array.from({ length: 100 }, (_, i) => Math.min(i, 30) + noise(i));
    expect(growth(rising)).to.be.closeTo(4.9, 1);
    expect(growth(settled)).to.be.closeTo(0, 1);
  });
});
