import { expect } from 'chai';
import type { ServerCommand } from '../servers.js';
import { RespValues } from '../respvalues.js';
import { encode, type WireClient } from '../wireclient.js';
import { Fixture } from './fixture.js';

const throttled = /^-DEFENSEREJECTED limiter: the queue is full, retry_after \d+ ms\r\n$/;
const crowded = '-DEFENSEREJECTED limiter: the queue is full\r\n';

/** The server's limiters: who is let in, who waits, who is refused. */
export function guardsSuite(server: ServerCommand): void {
  describe('a limit of what one client commands', () => {
    const fixture = new Fixture(server, ['--clientRate', '3', '--clientPeriodMs', '600000']);

    it('what goes beyond it is refused, each command in its place', async () => {
      const client = await fixture.connect();
      for (const text of ['a', 'b', 'c', 'd', 'e']) client.command('ECHO', text);
      client.command('QUIT');
      const replies = cut(await client.rest());
      expect(replies.slice(0, 3)).to.deep.equal(['a', 'b', 'c'].map(bulk));
      for (const reply of replies.slice(3, 5)) {
        expect(reply).to.match(throttled);
        expect(Number(/\d+(?= ms)/.exec(reply)![0])).to.be.within(500_000, 600_000);
      }
      expect(replies.slice(5)).to.deep.equal(['+OK\r\n']);
    });
    it('it is no limit of the others', async () => {
      const before = await fixture.statistics();
      const clients = await fixture.connectMany(5);
      for (const client of clients) client.send(encode(['PING']).repeat(4));
      for (const client of clients) {
        expect(await client.take(21)).to.equal('+PONG\r\n'.repeat(3));
        expect(await client.takeReply()).to.match(throttled);
      }
      const after = await fixture.statistics();
      expect(after.rejected - before.rejected).to.equal(5);
      expect(after.errors - before.errors).to.equal(5);
    });
    it('wrong commands count, those that wait too', async () => {
      const client = await fixture.connect();
      client.command('NONSENSE');
      client.command('ECHO');
      client.command('BLPOP', 'nothing', '0.01');
      client.command('BLPOP', 'nothing', '0.01');
      expect(await client.takeReply()).to.match(/^-ERR unknown command/);
      expect(await client.takeReply()).to.match(/^-ERR wrong number of arguments/);
      expect(await client.takeReply()).to.equal('*-1\r\n');
      expect(await client.takeReply()).to.match(throttled);
    });
  });

  describe('a limit of what one client commands, with room for one that waits', () => {
    const options = ['--clientRate', '5', '--clientPeriodMs', '50', '--clientQueue', '1'];
    const fixture = new Fixture(server, options);

    it('commands are not refused but slowed down', async () => {
      const client = await fixture.connect();
      const start = performance.now();
      client.send(encode(['PING']).repeat(21));
      expect(await client.take(7 * 21)).to.equal('+PONG\r\n'.repeat(21));
      expect(performance.now() - start).to.be.at.least(199);
    });
  });

  describe('a limit of commands that run at a time', () => {
    const concurrent = ['--serverConcurrent', '2', '--serverQueue', '3', '--commandMs', '0'];
    const fixture = new Fixture(server, concurrent);

    it('those beyond it wait, those beyond the queue are refused', async () => {
      const clients = await fixture.connectMany(6);
      const { requests } = await fixture.statistics();
      for (const [i, client] of clients.slice(0, 5).entries()) {
        client.command('STEPTREE.SLEEP', '0.2');
        await fixture.until((now) => now.requests === requests + i + 1);
      }
      clients[5]!.command('PING');
      expect(await clients[5]!.takeReply()).to.equal(crowded);
      for (const client of clients.slice(0, 5))
        expect(await client.takeReply()).to.equal('+OK\r\n');
      clients[5]!.command('PING');
      expect(await clients[5]!.takeReply()).to.equal('+PONG\r\n');
    });
    it('who waits for an element has no place meanwhile', async () => {
      const waiting = await fixture.connectMany(5);
      for (const client of waiting) client.command('BLPOP', 'guarded', '0');
      await fixture.until(({ waiters }) => waiters === 5);
      const client = await fixture.connect();
      client.command('LPUSH', 'guarded', 'a', 'b', 'c', 'd', 'e');
      expect(await client.takeReply()).to.equal(':5\r\n');
      for (const waiter of waiting) expect(await waiter.takeReply()).to.match(/^\*2\r\n/);
    });
    it('who vanishes leaves his place and the queue', async () => {
      const { requests, flowsAlive } = await fixture.statistics();
      const clients = await fixture.connectMany(5);
      for (const [i, client] of clients.entries()) {
        client.command('STEPTREE.SLEEP', '1000');
        await fixture.until((now) => now.requests === requests + i + 1);
      }
      for (const client of clients) client.kill(true);
      await fixture.until((now) => now.flowsAlive === flowsAlive);
      const next = await fixture.connectMany(5);
      for (const client of next) client.command('STEPTREE.SLEEP', '0.01');
      for (const client of next) expect(await client.takeReply()).to.equal('+OK\r\n');
    });
  });

  describe('a limit of what all clients command', () => {
    const rate = ['--serverRate', '100', '--serverPeriodMs', '50', '--serverQueue', '40'];
    const fixture = new Fixture(server, rate);

    it('clients that are killed in the middle leave nothing, the others are answered', async () => {
      const clients = await fixture.connectMany(60);
      const one = encode(['PING']);
      for (const client of clients) client.send(one.repeat(20));
      await clients[0]!.takeReply();
      for (const [i, client] of clients.entries()) if (i % 2) client.kill(i % 4 === 1);
      for (const [i, client] of clients.entries()) {
        if (i % 2 === 0) expect(await answers(client, i === 0 ? 19 : 20)).to.equal(0);
      }
      for (const client of clients) client.kill();
      expect(await fixture.idle()).to.include({ connections: 0, failed: 0 });
    });
  });
}

function bulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`;
}

function cut(said: string): string[] {
  return new RespValues().feed(said);
}

/** Takes these many replies; how many of them were neither PONG nor a refusal. */
async function answers(client: WireClient, count: number): Promise<number> {
  let wrong = 0;
  for (let i = 0; i < count; i += 1) {
    const said = await client.takeReply();
    if (said !== '+PONG\r\n' && !throttled.test(said)) wrong += 1;
  }
  return wrong;
}
