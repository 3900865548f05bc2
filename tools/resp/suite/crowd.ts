import { expect } from 'chai';
import { runBenchmark } from '../redisbenchmark.js';
import type { ServerCommand } from '../servers.js';
import { encode, type WireClient } from '../wireclient.js';
import { beginSomething } from '../unfinished.js';
import { Fixture } from './fixture.js';

/** Many clients at once, good ones and bad ones. */
export function crowdSuite(server: ServerCommand): void {
  describe('crowds', () => {
    const fixture = new Fixture(server, ['--commandMs', '0']);

    it('10,000 requests from 50 connections are answered without one error', async () => {
      const before = await fixture.statistics();
      const clients = await fixture.connectMany(50);
      await Promise.all(clients.map((client, i) => fiftyRounds(client, `key-${i}`)));
      const after = await fixture.idle();
      expect(after.errors).to.equal(before.errors);
      expect(after.requests - before.requests).to.equal(10_000 + clients.length);
    });
    it('redis-benchmark sees no error', async () => {
      const before = await fixture.statistics();
      const results = await runBenchmark(fixture.port, { requests: 10_000, clients: 50 });
      expect(results.map(({ test }) => test)).to.include.members(['PING_INLINE', 'SET', 'LPUSH']);
      for (const { perSecond } of results) expect(perSecond).to.be.above(0);
      const after = await fixture.idle();
      expect(after.errors).to.equal(before.errors);
      expect(after.requests - before.requests).to.be.at.least(10_000 * results.length);
    });
    it('200 clients that are killed in the middle leave no flow and no waiter', async () => {
      const clients = await fixture.connectMany(200);
      for (const [i, client] of clients.entries()) beginSomething(client, i);
      await fixture.until(({ waiters, connections }) => waiters === 50 && connections === 200);
      const before = await fixture.statistics();
      for (const [i, client] of clients.entries()) client.kill(i % 8 < 4);
      const after = await fixture.idle();
      expect(after.connections).to.equal(0);
      expect(after.cancelled - before.cancelled).to.be.at.least(100);
      const survivor = await fixture.connect();
      survivor.command('LPUSH', 'crowd', 'kept');
      survivor.command('BLPOP', 'crowd', '1');
      const expected = `:1\r\n${encode(['crowd', 'kept'])}`;
      expect(await survivor.take(expected.length)).to.equal(expected);
      survivor.kill();
    });
  });
}

/** What comes between two steps of a flow is not lost. */
export function turnsSuite(server: ServerCommand): void {
  describe('flows that take turns after every step', () => {
    const fixture = new Fixture(server, ['--burst', '1', '--requestMs', '0']);

    it('answer all of 50 busy clients', async () => {
      const clients = await fixture.connectMany(50);
      await Promise.all(clients.map((client, i) => unevenRounds(client, i)));
    });
  });
}

async function unevenRounds(client: WireClient, seed: number): Promise<void> {
  for (let i = 0; i < 200; i += 1) {
    const count = 1 + ((i * 7 + seed) % 5);
    client.send(encode(['PING']).repeat(count));
    await client.take(7 * count);
  }
}

async function fiftyRounds(client: WireClient, key: string): Promise<void> {
  for (let i = 1; i <= 50; i += 1) {
    const value = `\r\n${key}\x00${i}`;
    client.command('SET', key, value);
    client.command('GET', key);
    client.command('INCR', `${key}-counter`);
    client.command('LPUSH', `${key}-list`, value);
    const bulk = `$${value.length}\r\n${value}\r\n`;
    const expected = `+OK\r\n${bulk}:${i}\r\n:${i}\r\n`;
    expect(await client.take(expected.length)).to.equal(expected);
  }
  client.command('QUIT');
  expect(await client.rest()).to.equal('+OK\r\n');
}
