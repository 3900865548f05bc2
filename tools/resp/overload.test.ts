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

/** What the limiter allows in that time: `rate` in each window that has begun. */
function allowed(ms: number): number {
  return rate * (Math.floor(ms / periodMs) + 1);
}

function expectNear(seen: number, expected: number): void {
  expect(seen).to.be.closeTo(expected, expected * 0.05);
}

/** `growthMb`: by how much the peak of the second half of a run may be above that of the first one. */
function overloadSuite(server: ServerCommand, growthMb: number): void {
  describe(`${server.name} under overload`, function () {
    this.timeout(30_000);
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

    it('each command is answered, in order, and the limit is used', async () => {
      await start();
      const first = await overload(running.port, { ...crowd, perSecond, seconds: 2 });
      await delay(periodMs);
      const seen = await watched(() => overload(running.port, { ...crowd, perSecond, seconds }));
      expect(seen.wrong).to.deep.equal([]);
      expect(seen.served + seen.rejected).to.equal(seen.sent);
      expectNear(seen.sent, perSecond * seconds);
      expectNear(seen.served, allowed(seen.ms));
      const last = await stop();
      expect(last.requests).to.equal(first.sent + seen.sent);
      expect(last.rejected).to.equal(first.rejected + seen.rejected);
    });
    it('redis-benchmark is answered, and the limit is used', async () => {
      await start();
      const relay = await Relay.start(running.port, perSecond);
      const requests = perSecond * seconds;
      await watched(() => runBenchmark(relay.port, { ...crowd, requests, tests: ['set'] }));
      relay.close();
      const ms = relay.last - relay.first;
      expect(relay.requests).to.be.at.least(requests);
      expect(relay.served + relay.rejected).to.equal(relay.requests);
      expectNear(relay.requests, perSecond * (ms / 1000));
      expectNear(relay.served, allowed(ms));
      const last = await stop();
      expect(last.requests).to.equal(relay.requests);
      expect(last.rejected).to.equal(relay.rejected);
    });
    it('redis-benchmark is held at the limit, without an error, where commands may wait', async () => {
      await start('--serverQueue', String(crowd.clients));
      const requests = 19.6 * rate;
      const [result] = await runBenchmark(running.port, { ...crowd, requests, tests: ['get'] });
      expectNear((requests / result!.perSecond) * 1000, 19 * periodMs);
      expect(await stop()).to.include({ rejected: 0, errors: 0 });
    });
  });
}

// Node's heap breathes: soak.ts shows over minutes that it comes back.
overloadSuite(jsServer, 24);
overloadSuite(cppServer, 2);
