import { expect } from 'chai';
import type { ServerCommand } from '../servers.js';
import { Fixture } from './fixture.js';

/** Who takes too long is left; who may take long is not. */
export function timesSuite(server: ServerCommand): void {
  describe('limits of time', () => {
    const fixture = new Fixture(server, ['--commandMs', '50', '--requestMs', '100']);

    it('a command that takes too long is ended, its connection is not', async () => {
      const client = await fixture.connect();
      client.command('STEPTREE.SLEEP', '100');
      client.command('PING');
      const expected = '-ERR the command has taken too long\r\n+PONG\r\n';
      expect(await client.take(expected.length)).to.equal(expected);
      client.kill();
    });
    it('a command that is quick enough is not', async () => {
      const client = await fixture.connect();
      client.command('STEPTREE.SLEEP', '0.01');
      expect(await client.take(5)).to.equal('+OK\r\n');
      client.kill();
    });
    it('the time that a client waits for an element is his own', async () => {
      const client = await fixture.connect();
      const start = performance.now();
      client.command('BLPOP', 'nothing', '0.2');
      expect(await client.take(5)).to.equal('*-1\r\n');
      expect(performance.now() - start).to.be.at.least(199);
      client.kill();
    });
    it('half a command is waited for, but not for ever', async () => {
      const client = await fixture.connect();
      client.send('*2\r\n$4\r\nECHO\r\n$100\r\nhalf');
      expect(await client.rest()).to.equal('');
    });
    it('bytes that drip in do not prolong it', async () => {
      const client = await fixture.connect();
      client.send('*2\r\n$4\r\nECHO\r\n$100\r\n');
      const drip = setInterval(() => client.send('x'), 10);
      expect(await client.rest()).to.equal('');
      clearInterval(drip);
      client.kill();
    });
    it('a client may rest between two commands', async () => {
      const client = await fixture.connect();
      const slower = await fixture.connect();
      client.command('PING');
      await client.take(7);
      slower.send('*1\r\n');
      await slower.rest();
      client.command('PING');
      expect(await client.take(7)).to.equal('+PONG\r\n');
      client.kill();
    });
  });

  describe('limit of idle time', () => {
    const fixture = new Fixture(server, ['--idleMs', '1000']);

    it('a client who says nothing is left', async () => {
      const client = await fixture.connect();
      const talking = setInterval(() => void fixture.statistics(), 50);
      expect(await client.rest()).to.equal('');
      clearInterval(talking);
    });
  });

  describe("limit of a command's time, where it has to queue", () => {
    const options = ['--serverConcurrent', '1', '--serverQueue', '9', '--commandMs', '500'];
    const fixture = new Fixture(server, options);

    it('the wait for a place is a part of it', async () => {
      const clients = await fixture.connectMany(3);
      for (const client of clients) client.command('STEPTREE.SLEEP', '0.4');
      const replies = await Promise.all(clients.map((client) => client.takeReply()));
      const late = '-ERR the command has taken too long\r\n';
      expect(replies.sort()).to.deep.equal(['+OK\r\n', late, late]);
    });
  });

  describe("limit of a connection's time", () => {
    const fixture = new Fixture(server, ['--connectionMs', '500']);

    it('a client is left after it, with all that he was answered', async () => {
      const start = performance.now();
      const client = await fixture.connect();
      const talking = setInterval(() => client.command('PING'), 20);
      client.command('BLPOP', 'nothing', '0.1');
      const said = await client.rest();
      clearInterval(talking);
      client.kill();
      expect(performance.now() - start).to.be.at.least(499);
      expect(said).to.match(/^\*-1\r\n(\+PONG\r\n)+$/);
    });
    it('a command that runs then is ended', async () => {
      const client = await fixture.connect();
      client.command('BLPOP', 'nothing', '0');
      expect(await client.rest()).to.equal('');
      client.kill();
    });
  });
}
