import { expect } from 'chai';
import type { ServerCommand } from '../servers.js';
import { encode } from '../wireclient.js';
import { Fixture } from './fixture.js';

const size = 100_000;
const value = 'v'.repeat(size);
const reply = `$${size}\r\n${value}\r\n`;
const count = 400;

/** A client who reads slowly, or not at all, costs the server a bounded amount. */
export function slowSuite(server: ServerCommand): void {
  describe('slow clients', () => {
    const fixture = new Fixture(server, ['--outputMs', '1000', '--input', '200000']);
    before(async () => {
      const client = await fixture.connect();
      client.command('SET', 'big', value);
      await client.take(5);
      client.kill();
    });

    it('who takes nothing is left, and most of his commands are never run', async () => {
      const before = await fixture.statistics();
      const client = await fixture.connect();
      client.stopReading();
      client.send(encode(['GET', 'big']).repeat(count));
      await fixture.until(({ connections }) => connections === 1);
      const after = await fixture.until(({ connections }) => connections === 0);
      expect(after.requests - before.requests).to.be.within(1, count / 2);
      client.kill();
    });
    it('who takes all in the end gets all', async () => {
      const client = await fixture.connect();
      client.stopReading();
      client.send(encode(['GET', 'big']).repeat(count));
      client.command('ECHO', 'done');
      await fixture.until(({ connections }) => connections === 1);
      client.resumeReading();
      const all = await client.take(reply.length * count + 10);
      expect(all === `${reply.repeat(count)}$4\r\ndone\r\n`).to.equal(true);
      client.kill();
    });
    it('who sends a flood while he waits is left', async () => {
      const client = await fixture.connect();
      client.command('BLPOP', 'nothing', '0');
      await fixture.until(({ waiters }) => waiters === 1);
      client.send(encode(['PING']).repeat(20_000));
      await fixture.until(({ waiters, connections }) => waiters === 0 && connections === 0);
      client.kill();
    });
    it('who sends a flood otherwise is answered all', async () => {
      const client = await fixture.connect();
      client.send(encode(['PING']).repeat(100_000));
      const all = await client.take(7 * 100_000);
      expect(all === '+PONG\r\n'.repeat(100_000)).to.equal(true);
      client.kill();
    });
  });
}
