import { expect } from 'chai';
import type { ServerCommand } from '../servers.js';
import { encode } from '../wireclient.js';
import { Fixture } from './fixture.js';

const small = ['--bulk', '100', '--args', '10', '--request', '300', '--line', '200'];

/** Input beyond the limits is refused with a protocol error; input at the limits is not. */
export function limitsSuite(server: ServerCommand): void {
  describe('limits of size', () => {
    const fixture = new Fixture(server, small);
    const filler = 'x'.repeat(100);

    const ask = async (bytes: string): Promise<string> => {
      const client = await fixture.connect();
      client.send(`${bytes}QUIT\r\n`);
      return client.rest();
    };
    const refused = (why: string) => `-ERR Protocol error: ${why}\r\n`;

    it('an argument of the largest length is taken', async () => {
      expect(await ask(encode(['ECHO', filler]))).to.equal(`$100\r\n${filler}\r\n+OK\r\n`);
    });
    it('a longer argument is refused before it has come', async () => {
      expect(await ask('*2\r\n$4\r\nECHO\r\n$101\r\n')).to.equal(refused('invalid bulk length'));
    });
    it('the largest number of arguments is taken', async () => {
      expect(await ask(encode(['DEL', ...'123456789']))).to.equal(':0\r\n+OK\r\n');
    });
    it('more arguments are refused before they have come', async () => {
      expect(await ask('*11\r\n')).to.equal(refused('invalid multibulk length'));
    });
    it('arguments that are too big together are refused', async () => {
      const args = ['DEL', filler, filler, filler];
      expect(await ask(encode(args))).to.equal(refused('too big request'));
    });
    it('the size is that of one command', async () => {
      const three = encode(['DEL', filler, filler]).repeat(3);
      expect(await ask(three)).to.equal(':0\r\n:0\r\n:0\r\n+OK\r\n');
    });
    it('the longest inline command is taken', async () => {
      const line = `ECHO ${' '.repeat(193)}a\r\n`;
      expect(await ask(line)).to.equal('$1\r\na\r\n+OK\r\n');
    });
    it('a longer inline command is refused, ended or not', async () => {
      expect(await ask(`PING${' '.repeat(200)}\r\n`)).to.equal(refused('too big inline request'));
      expect(await ask(`PING${' '.repeat(200)}`)).to.equal(refused('too big inline request'));
    });
    it('a length that does not end is refused', async () => {
      const zeros = '0'.repeat(201);
      expect(await ask(`*${zeros}`)).to.equal(refused('too big mbulk count string'));
      expect(await ask(`*1\r\n$${zeros}`)).to.equal(refused('too big bulk count string'));
    });
  });

  describe('limit of connections', () => {
    const fixture = new Fixture(server, ['--connections', '3']);

    it('one more is told so, and served once another has left', async () => {
      const [first, second] = await fixture.connectMany(2);
      first!.command('PING');
      second!.command('PING');
      await first!.take(7);
      await second!.take(7);
      const third = await fixture.connect();
      expect(await third.rest()).to.equal('-ERR max number of clients reached\r\n');
      first!.kill();
      await fixture.until(({ connections }) => connections === 1);
      const fourth = await fixture.connect();
      fourth.command('PING');
      expect(await fourth.take(7)).to.equal('+PONG\r\n');
      second!.kill();
      fourth.kill();
      expect(await fixture.statistics()).to.include({ refused: 1 });
    });
  });
}
