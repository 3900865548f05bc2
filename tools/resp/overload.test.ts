import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { MemoryWatch } from './memory.js';
import { overload } from './overload.js';
import { runBenchmark } from './redisbenchmark.js';
import { Relay } from './relay.js';
import { nothingLeft, ServerProcess, type Statistics } from './serverprocess.js';
import { cppServer, jsServer, type ServerCommand } from './servers.js';

// Four times what the server's limiter allows: every command is answered, the allowed number is served, memory stays.

const rate = 500;
const periodMs = 250;
const limits = ['--serverRate', String(rate), '--serverPeriodMs', String(periodMs)];
const perSecond = (4 * rate * 1000) / periodMs;
/** The last window has begun by then, and had the time to be used up. */
const seconds = 5.7;
const crowd = { clients: 50, pipeline: 16 };
const mostTries = 5;

/** What the limiter allows in that time: `rate` in each window that has begun. */
function allowed(ms: number): number {
  return rate * (Math.floor(ms / periodMs) + 1);
}

function expectNear(seen: number, expected: number): void {
  expect(seen).to.be.closeTo(expected, expected * 0.05);
}

interface Served {
  requests: number;
  served: number;
  ms: number;
}

/** The limit is used. A machine that hasn't come up with the load says nothing of that: it runs again. */
async function underLoad(run: () => Promise<Served>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { requests, served, ms } = await run();
    expect(served).to.be.below(1.05 * allowed(ms));
    const due = perSecond * (ms / 1000);
    expect(requests).to.be.below(1.05 * due);
    if (requests > 0.95 * due) return expectNear(served, allowed(ms));
    if (tries === mostTries) return;
    console.log(`      ${requests} of ${due.toFixed(0)} commands came in their time: again`);
  }
}

/** `growthMb`: by how much the peak of the second half of a run may be above that of the first one. */
function overloadSuite(server: ServerCommand, growthMb: number): void {
  describe(`${server.name} under overload`, function () {
    this.timeout(600_000);
    let running: ServerProcess;
    const start = async (...options: string[]) => {
      running = await ServerProcess.start(server, [...limits, ...options]);
    };
    const stop = async (): Promise<Statistics> => {
      const last = await running.stop();
      expect(last).to.include(nothingLeft);
      return last;
    };
    const watched = async <T>(run: () => Promise<T>): Promise<T> => {
      const memory = new MemoryWatch(running.pid);
      const result = await run();
      expect(memory.stop()).to.be.below(growthMb);
      return result;
    };
    afterEach(() => running.kill());

    it('each command is answered, in order, and the limit is used', () =>
      underLoad(async () => {
        await start();
        const first = await overload(running.port, { ...crowd, perSecond, seconds: 2 });
        await delay(periodMs);
        const seen = await watched(() => overload(running.port, { ...crowd, perSecond, seconds }));
        expect(seen.wrong).to.deep.equal([]);
        expect(seen.served + seen.rejected).to.equal(seen.sent);
        const last = await stop();
        expect(last.requests).to.equal(first.sent + seen.sent);
        expect(last.rejected).to.equal(first.rejected + seen.rejected);
        return { ...seen, requests: seen.sent };
      }));
    it('redis-benchmark is answered, and the limit is used', () =>
      underLoad(async () => {
        await start();
        const relay = await Relay.start(running.port, perSecond);
        const requests = perSecond * seconds;
        await watched(() => runBenchmark(relay.port, { ...crowd, requests, tests: ['set'] }));
        relay.close();
        expect(relay.requests).to.be.at.least(requests);
        expect(relay.served + relay.rejected).to.equal(relay.requests);
        const last = await stop();
        expect(last.requests).to.equal(relay.requests);
        expect(last.rejected).to.equal(relay.rejected);
        return { requests: relay.requests, served: relay.served, ms: relay.last - relay.first };
      }));
    it('redis-benchmark is held at the limit, without an error, where commands may wait', async () => {
      const requests = 19.6 * rate;
      const best = 19 * periodMs;
      for (let tries = 1; ; tries += 1) {
        await start('--serverQueue', String(crowd.clients));
        const [result] = await runBenchmark(running.port, { ...crowd, requests, tests: ['get'] });
        expect(await stop()).to.include({ rejected: 0, errors: 0 });
        const ms = (requests / result!.perSecond) * 1000;
        expect(ms).to.be.above(0.95 * best);
        // A machine that stands still takes longer.
        if (ms < 1.05 * best) return;
        expect(tries, `${ms} ms`).to.be.below(mostTries);
      }
    });
  });
}

// Node's heap breathes: soak.ts shows over minutes that it comes back.
overloadSuite(jsServer, 24);
overloadSuite(cppServer, 2);
