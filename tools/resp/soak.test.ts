import { expect } from 'chai';
import { cppServer, jsServerTellingHeap, type ServerCommand } from './servers.js';
import { soak } from './soak/run.js';
import { growth } from './soak/trend.js';

// `npm run soak` for ten seconds: what is wrong in minutes with some client, or left of some, is so in seconds.

const seconds = 10;
const mostPatienceMs = 48_000;

function soakSuite(server: ServerCommand, most: { resident: number; heap: number }): void {
  it(`${server.name}: clients of all kinds are served or left, and nothing stays of them`, async () => {
    const seed = Date.now() % 1e6;
    const { wrong, patienceMs } = await patientSoak(server, seed, most);
    expect(wrong, `seed ${seed}, patience ${patienceMs} ms`).to.deep.equal([]);
  }).timeout(1_200_000);
}

/** A run in which something stood still for nearly as long as clients are waited for says nothing of the server: another one, with more patience. */
async function patientSoak(
  server: ServerCommand,
  seed: number,
  most: { resident: number; heap: number },
) {
  for (let patienceMs = 3000; ; patienceMs *= 2) {
    const options = { seconds, seed, patienceMs, looks: seconds, growth: most, show: () => {} };
    const { wrong, slowestMs } = await soak(server, options);
    const wasTooSlow = slowestMs > patienceMs / 2;
    if (wrong.length === 0 || !wasTooSlow || patienceMs >= mostPatienceMs) {
      return { wrong, patienceMs };
    }
    console.log(`      a client has waited for ${slowestMs.toFixed(0)} ms: again, more patient`);
  }
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
