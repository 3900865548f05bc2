import { expect } from 'chai';
import { PluginFiles } from '../plugins.js';
import type { ServerCommand } from '../servers.js';
import { encode } from '../wireclient.js';
import { Fixture } from './fixture.js';
import { asker } from './asker.js';

const late = '-ERR the command has taken too long\r\n';
const open = ['WAIT.OPEN'];

/** The commands of the three plug-ins, in whatever language the server is. */
export function pluginSuite(server: ServerCommand): void {
  describe('commands of plug-ins', () => {
    const files = new PluginFiles();
    const fixture = new Fixture(server, [...files.options, '--commandMs', '60000']);
    const { ask, expectReplies } = asker(fixture);
    after(() => files.remove());

    it('of all the files are there', async () => {
      const rows = (['tokens', 'wait', 'words'] as const).map((name) =>
        encode([name, '1.0.0', files[name]]),
      );
      expect(await ask('PLUGIN', 'LIST')).to.equal(`*3\r\n${rows.join('')}`);
    });
    it('in Rust get bytes, give lists, and call a service', () =>
      expectReplies([
        [
          ['WORDS.COUNT', 'b a  b\n\xff'],
          '*3\r\n*2\r\n$1\r\nb\r\n:2\r\n*2\r\n$1\r\na\r\n:1\r\n*2\r\n$1\r\n\xff\r\n:1\r\n',
        ],
        [['words.count', ''], '*0\r\n'],
        [['SET', 'text', 'a \xff a'], '+OK\r\n'],
        [['WORDS.OF', 'text'], '*2\r\n*2\r\n$1\r\na\r\n:2\r\n*2\r\n$1\r\n\xff\r\n:1\r\n'],
        [['WORDS.OF', 'none'], '*0\r\n'],
        [['Words.Sha1', 'abc'], '$40\r\na9993e364706816aba3e25717850c26c9cd0d89d\r\n'],
        [['WORDS.SHA1', '\0\xff'], '$40\r\naa3e5dcdd77b153f2e59bd0d8794fde33cb4e486\r\n'],
      ]));
    it('in C read and write keys of the server by its services', () =>
      expectReplies([
        [['SET', 'k\xff', '10'], '+OK\r\n'],
        [['TOKENS.TAKE', 'k\xff', '3'], ':7\r\n'],
        [['GET', 'k\xff'], '$1\r\n7\r\n'],
        [['TOKENS.TAKE', 'k\xff', '8'], '-NOTOKENS 7 left\r\n'],
        [['TOKENS.TAKE', 'nothing', '0'], ':0\r\n'],
        [['TOKENS.TAKE', 'none', '1'], '-NOTOKENS 0 left\r\n'],
        [['TOKENS.TAKE', 'k\xff', '-1'], '-ERR value is not an integer or out of range\r\n'],
        [['SET', 'k\xff', 'x'], '+OK\r\n'],
        [['TOKENS.TAKE', 'k\xff', '1'], '-ERR value is not an integer or out of range\r\n'],
      ]));
    it('of many clients at once take no token twice', async () => {
      await expectReplies([[['SET', 'stock', '150'], '+OK\r\n']]);
      const clients = await fixture.connectMany(20);
      for (const client of clients) {
        for (let i = 0; i < 10; i += 1) client.command('TOKENS.TAKE', 'stock', '1');
      }
      const left: string[] = [];
      for (const client of clients) {
        for (let i = 0; i < 10; i += 1) left.push(await client.takeReply());
      }
      const taken = left.filter((reply) => reply.startsWith(':'));
      expect(new Set(taken)).to.have.property('size', 150);
      expect(left.filter((reply) => reply === '-NOTOKENS 0 left\r\n')).to.have.length(50);
      await expectReplies([[['GET', 'stock'], '$1\r\n0\r\n']]);
    });
    it('wait for a thread of the plug-in', () => expectReplies([[['WAIT.TICK', '20'], ':20\r\n']]));
    it('let go of a client who vanishes', async () => {
      for (const reset of [false, true]) {
        const client = await fixture.connect();
        client.command('WAIT.TICK', '50000');
        while ((await ask(...open)) !== ':1\r\n');
        const before = await fixture.statistics();
        client.kill(reset);
        while ((await ask(...open)) !== ':0\r\n');
        await fixture.until(({ cancelled }) => cancelled === before.cancelled + 1);
      }
    });
    it('answer a client who has closed his side', async () => {
      const client = await fixture.connect();
      client.command('TOKENS.TAKE', 'nothing', '0');
      client.command('WAIT.TICK', '1');
      client.finish();
      expect(await client.rest()).to.equal(':0\r\n:1\r\n');
      client.kill();
    });
    it('refuse what they do not take', () =>
      expectReplies([
        [['WAIT.TICK'], "-ERR wrong number of arguments for 'wait.tick' command\r\n"],
        [['Wait.Tick', '1', '2'], "-ERR wrong number of arguments for 'wait.tick' command\r\n"],
        [['WAIT.TICK', 'soon'], '-ERR value is not an integer or out of range\r\n'],
        [
          ['WAIT.NONE', 'x'],
          "-ERR unknown command 'WAIT.NONE', with args beginning with: 'x' \r\n",
        ],
        [['PLUGIN', 'EAT'], "-ERR unknown subcommand 'EAT'. Try PLUGIN HELP.\r\n"],
        [['PLUGIN', 'RELOAD'], "-ERR wrong number of arguments for 'plugin|reload' command\r\n"],
        [['PLUGIN'], "-ERR wrong number of arguments for 'plugin' command\r\n"],
      ]));
  });

  describe('the deadline of plug-ins', () => {
    const limit = 2000;
    const files = new PluginFiles();
    const fixture = new Fixture(server, [...files.options, '--commandMs', String(limit)]);
    const { ask, expectReplies } = asker(fixture);
    after(() => files.remove());

    it('is seen by them, and ends their wait', async () => {
      const left = Number((await ask('WAIT.LEFT')).slice(1));
      expect(left).to.be.within(1, limit);
      const begun = performance.now();
      await expectReplies([
        [['WAIT.TICK', '60000'], late],
        [open, ':0\r\n'],
      ]);
      expect(performance.now() - begun).to.be.within(limit - 1, 20_000);
    });
  });
}
