import { expect } from 'chai';
import type { ServerCommand } from '../servers.js';
import { encode, type WireClient } from '../wireclient.js';
import { Fixture } from './fixture.js';

const nobody = '*-1\r\n';

function element(key: string, value: string): string {
  return encode([key, value]);
}

/** BLPOP: who waits where, who is served first, who is gone. */
export function waitingSuite(server: ServerCommand): void {
  describe('waiting in BLPOP', () => {
    const fixture = new Fixture(server);
    let pusher: WireClient;
    before(async () => {
      pusher = await fixture.connect();
    });

    const waiting = async (...args: string[]): Promise<WireClient> => {
      const client = await fixture.connect();
      const { waiters } = await fixture.statistics();
      client.command('BLPOP', ...args);
      await fixture.until((now) => now.waiters === waiters + 1);
      return client;
    };
    const push = async (reply: string, ...args: string[]) => {
      pusher.command('LPUSH', ...args);
      expect(await pusher.take(reply.length)).to.equal(reply);
    };
    const gets = async (client: WireClient, reply: string) => {
      expect(await client.take(reply.length)).to.equal(reply);
    };

    it('an element goes to who waits for it', async () => {
      const client = await waiting('one', '0');
      await push(':1\r\n', 'one', 'a');
      await gets(client, element('one', 'a'));
      client.kill();
    });
    it('who came first is served first, with the head of the list', async () => {
      const clients = [];
      for (let i = 0; i < 3; i += 1) clients.push(await waiting('fifo', '0'));
      await push(':4\r\n', 'fifo', 'a', 'b', 'c', 'd');
      for (const value of ['d', 'c', 'b']) {
        const client = clients.shift()!;
        await gets(client, element('fifo', value));
        client.kill();
      }
      const last = await fixture.connect();
      last.command('BLPOP', 'fifo', '0');
      await gets(last, element('fifo', 'a'));
      last.kill();
    });
    it('of several lists the first that has an element serves, and only that one', async () => {
      const client = await waiting('left', 'right', '0');
      await push(':1\r\n', 'right', 'a');
      await gets(client, element('right', 'a'));
      await push(':1\r\n', 'left', 'b');
      client.command('BLPOP', 'right', 'left', '0');
      await gets(client, element('left', 'b'));
      client.kill();
    });
    it('who names a list twice gets one element', async () => {
      const client = await waiting('twice', 'twice', '0');
      await push(':2\r\n', 'twice', 'a', 'b');
      await gets(client, element('twice', 'b'));
      client.command('LLEN', 'twice');
      await gets(client, ':1\r\n');
      client.kill();
    });
    it('who waits in vain is told so in time, and stands there no more', async () => {
      const start = performance.now();
      const client = await waiting('vain', '0.05');
      await gets(client, nobody);
      expect(performance.now() - start).to.be.at.least(49);
      expect(await fixture.statistics()).to.include({ waiters: 0 });
      await push(':1\r\n', 'vain', 'a');
      client.command('LLEN', 'vain');
      await gets(client, ':1\r\n');
      client.kill();
    });
    it('commands behind it are answered behind it', async () => {
      const client = await waiting('behind', '0');
      client.command('PING');
      client.command('LLEN', 'behind');
      await push(':2\r\n', 'behind', 'a', 'b');
      await gets(client, `${element('behind', 'b')}+PONG\r\n:1\r\n`);
      client.kill();
    });
    it('a value that is no list serves nobody', async () => {
      const client = await waiting('typed', '0');
      pusher.command('SET', 'typed', 'text');
      pusher.command('DEL', 'typed');
      expect(await pusher.take(9)).to.equal('+OK\r\n:1\r\n');
      await push(':1\r\n', 'typed', 'a');
      await gets(client, element('typed', 'a'));
      client.kill();
    });
    for (const reset of [false, true]) {
      it(`who vanishes is withdrawn, and his element stays (${reset ? 'RST' : 'FIN'})`, async () => {
        const key = `gone-${reset}`;
        const first = await waiting(key, '0');
        const gone = await waiting(key, 'other', '0');
        const third = await waiting(key, '0');
        gone.kill(reset);
        await fixture.until(({ waiters }) => waiters === 2);
        await push(':3\r\n', key, 'a', 'b', 'c');
        await gets(first, element(key, 'c'));
        await gets(third, element(key, 'b'));
        first.command('BLPOP', key, '0');
        await gets(first, element(key, 'a'));
        first.kill();
        third.kill();
      });
    }
    it('who closes his side does not wait', async () => {
      const client = await waiting('half', '0');
      client.finish();
      expect(await client.rest()).to.equal('');
      const late = await fixture.connect();
      late.command('PING');
      late.command('BLPOP', 'half', '0');
      late.finish();
      expect(await late.rest()).to.equal('+PONG\r\n');
    });
  });
}
