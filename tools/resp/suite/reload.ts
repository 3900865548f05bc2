import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PluginFiles } from '../plugins.js';
import type { ServerCommand } from '../servers.js';
import { Fixture } from './fixture.js';
import { asker } from './asker.js';
import { oddPlugin } from './odd.js';

const version = ['WAIT.VERSION'];
const one = '$5\r\n1.0.0\r\n';

/** Plug-ins that are loaded again, and files that can't be loaded. */
export function reloadSuite(server: ServerCommand): void {
  describe('plug-ins that are loaded again', () => {
    const files = new PluginFiles();
    const options = [...files.options, '--plugin', oddPlugin(files.folder, 'odd')];
    const fixture = new Fixture(server, options);
    const { expectReplies } = asker(fixture);
    const odd = join(files.folder, 'odd.so');
    const reload = (file: string) => ['PLUGIN', 'RELOAD', file];
    after(() => files.remove());

    it('take what begins from then on; what has begun ends with the old one', async () => {
      const client = await fixture.connect();
      client.command('WAIT.TICK', '300');
      await expectReplies([[version, one]]);
      files.replaceWait();
      await expectReplies([
        [version, one],
        [reload(files.wait), '$10\r\nwait 2.0.0\r\n'],
        [version, '$5\r\n2.0.0\r\n'],
      ]);
      expect(await client.takeReply()).to.equal(':300\r\n');
      files.restoreWait();
      await expectReplies([[reload(files.wait), '$10\r\nwait 1.0.0\r\n']]);
    });
    it('are those of the command line', () =>
      expectReplies([
        [reload('/bin/sh'), "-ERR '/bin/sh' is no file of --plugin\r\n"],
        [reload(''), "-ERR '' is no file of --plugin\r\n"],
      ]));
    it('stay as they are if the file is gone, or no plug-in', async () => {
      const refused = (why: string) => RegExp(`^-PluginRefused ${files.wait}: .*${why}.*\r\n$`);
      rmSync(files.wait);
      await expectReplies([[reload(files.wait), refused('No such file')]]);
      writeFileSync(files.wait, 'no plug-in at all');
      await expectReplies([[reload(files.wait), refused('(too short|invalid ELF header)')]]);
      await expectReplies([[version, one]]);
      files.restoreWait();
    });
    it('stay as they are if the file has the name of another one', async () => {
      files.replace(odd, files.wait);
      await expectReplies([
        [reload(odd), `-PluginRefused ${odd}: its name 'wait' is that of ${files.wait}, too\r\n`],
        [version, one],
        [['ODD.YES'], ':1\r\n'],
      ]);
    });
    it('stay as they are if their commands would be those of the server', async () => {
      oddPlugin(files.folder, 'steptree');
      files.replace(odd, join(files.folder, 'steptree.so'));
      const own = "commands that begin with 'steptree.' are the server's own";
      await expectReplies([
        [reload(odd), `-PluginRefused ${odd}: ${own}\r\n`],
        [['STEPTREE.YES'], /^-ERR unknown command 'STEPTREE.YES'/],
        [['ODD.YES'], ':1\r\n'],
      ]);
    });
    it('may have another name: their old commands are gone', async () => {
      oddPlugin(files.folder, 'even');
      files.replace(odd, join(files.folder, 'even.so'));
      await expectReplies([
        [reload(odd), '$8\r\neven 0.1\r\n'],
        [['ODD.YES'], /^-ERR unknown command 'ODD.YES'/],
        [['EVEN.YES'], ':1\r\n'],
      ]);
    });
    it('reply with what they leave', () =>
      expectReplies([
        [['EVEN.NOTHING', '', '1', '2', '3'], '$-1\r\n'],
        [['even.yes'], ':1\r\n'],
        [['EVEN.WHOLE'], ':-2\r\n'],
        [['EVEN.FRACTION'], '-ERR internal error: no command replies with a fraction\r\n'],
        [['EVEN.MAP'], '-ERR internal error: no command replies with a map\r\n'],
        [['EVEN.FAIL'], '-ODD caf\xc3\xa9  +OK\r\n'],
        [['EVEN.ASK'], /^-NoService .*keys\.eat.*\r\n$/],
        [
          ['EVEN.SEVERAL'],
          '*2\r\n*3\r\n$-1\r\n:-9223372036854775808\r\n$4\r\n\0\r\n\xff\r\n$-1\r\n',
        ],
      ]));
  });

  describe('a server whose plug-ins are wrong', () => {
    const files = new PluginFiles();
    after(() => files.remove());
    const started = (...args: string[]) => {
      const options = [...server.args, '--until-stdin-ends', ...args];
      const { status, stderr } = spawnSync(server.command, options, {
        encoding: 'utf8',
        input: '',
      });
      return { status, stderr };
    };

    it('says so and does not start', () => {
      expect(started('--plugin')).to.deep.equal({ status: 2, stderr: '--plugin needs a file\n' });
      const { status, stderr } = started('--plugin', '/none.so');
      expect(status).to.equal(1);
      expect(stderr).to.match(/^--plugin \/none\.so: .*No such file.*\n$/);
      const twice = join(files.folder, 'twice.so');
      files.replace(twice, files.words);
      expect(started('--plugin', files.words, '--plugin', twice)).to.deep.equal({
        status: 1,
        stderr: `--plugin ${twice}: its name 'words' is that of ${files.words}, too\n`,
      });
    });
  });
}
