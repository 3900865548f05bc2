import { expect } from 'chai';
import type { ServerCommand } from '../servers.js';
import { Fixture } from './fixture.js';

/** The same of a server that may have few commands. */
export function goneSuite(server: ServerCommand): void {
  describe('expiry', () => {
    const fixture = new Fixture(server);

    it('a key is gone when its time has come, not before, and a new value stays', async () => {
      const client = await fixture.connect();
      const start = performance.now();
      client.command('SET', 'kept', 'x', 'PX', '50');
      client.command('SET', 'kept', 'y');
      client.command('SET', 'brief', 'x', 'PX', '100');
      await client.take(15);
      for (let there = true; there;) {
        client.command('GET', 'brief');
        there = (await client.take(5)) === '$1\r\nx' && (await client.take(2)) === '\r\n';
      }
      expect(performance.now() - start).to.be.at.least(99);
      client.command('GET', 'kept');
      expect(await client.take(7)).to.equal('$1\r\ny\r\n');
      client.kill();
    });
  });
}

/** Keys go when their time has come. */
export function expirySuite(server: ServerCommand): void {
  describe('expiry', () => {
    const fixture = new Fixture(server);

    it('a key is gone when its time has come, not before', async () => {
      const client = await fixture.connect();
      const start = performance.now();
      client.command('SET', 'brief', 'x', 'PX', '100');
      await client.take(5);
      let answer = '';
      do {
        client.command('PTTL', 'brief');
        while (!answer.endsWith('\r\n')) answer += await client.take(1);
        const left = Number(answer.slice(1));
        if (left >= 0) expect(left).to.be.within(1, 100);
        answer = left < 0 ? answer : '';
      } while (answer === '');
      expect(answer).to.equal(':-2\r\n');
      expect(performance.now() - start).to.be.at.least(99);
      client.command('GET', 'brief');
      expect(await client.take(5)).to.equal('$-1\r\n');
      client.kill();
    });
    it('a new value stays', async () => {
      const client = await fixture.connect();
      client.command('SET', 'kept', 'x', 'PX', '20');
      client.command('SET', 'kept', 'y');
      client.command('BLPOP', 'nothing', '0.05');
      client.command('GET', 'kept');
      const expected = '+OK\r\n+OK\r\n*-1\r\n$1\r\ny\r\n';
      expect(await client.take(expected.length)).to.equal(expected);
      client.kill();
    });
    it('a later time replaces an earlier one', async () => {
      const client = await fixture.connect();
      client.command('SET', 'later', 'x', 'PX', '20');
      client.command('EXPIRE', 'later', '100');
      client.command('BLPOP', 'nothing', '0.05');
      client.command('TTL', 'later');
      const expected = '+OK\r\n:1\r\n*-1\r\n:100\r\n';
      expect(await client.take(expected.length)).to.equal(expected);
      client.kill();
    });
    it('the furthest time is no earlier one', async () => {
      const client = await fixture.connect();
      client.command('SET', 'far', 'x', 'PX', '4503599627370496');
      client.command('BLPOP', 'nothing', '0.01');
      client.command('GET', 'far');
      const expected = '+OK\r\n*-1\r\n$1\r\nx\r\n';
      expect(await client.take(expected.length)).to.equal(expected);
      client.kill();
    });
  });
}
