import { expect } from 'chai';
import fc from 'fast-check';
import { spawnSync } from 'node:child_process';
import { nothingLeft, ServerProcess } from './serverprocess.js';
import { cppServer, jsServer, startRedis } from './servers.js';
import { encode, WireClient } from './wireclient.js';

// Random conversations: Redis, JavaScript and C++ must say the same, byte by byte. The three see the same commands from the
// beginning, so their keys stay equal too. A failure prints its seed and path: give them to `fc.assert` to replay it.

const names = ['GET', 'SET', 'DEL', 'INCR', 'LPUSH', 'LLEN', 'BLPOP', 'TTL', 'EXPIRE', 'PING'];
const other = ['ECHO', 'PTTL', 'pexpire', 'QUIT', 'config', 'client', 'NONE', 'g\r\net', ''];
const numbers = ['0', '-1', '007', '1e2', '.01', '9223372036854775807', '-9223372036854775808'];
const words = ['a', 'b', 'c', 'NX', 'xx', 'EX', 'PX', 'two words', "it's", '"', '\xff\r\n'];
// Who waits at all waits until the client has left: how soon a shorter wait ends is not for this test.
const lastWords = ['1e2', 'a', '-1', 'b', '', '0', 'x', '100'];

const command = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, fc.constantFrom(...other)),
    fc.array(fc.oneof(fc.constantFrom(...words), fc.constantFrom(...numbers)), { maxLength: 3 }),
    fc.constantFrom(...lastWords),
  )
  .map(([name, args, last]) => {
    if (name === 'BLPOP') return [name, ...args, last];
    // Redis knows more options of EXPIRE than we do.
    return [name, ...(/EXPIRE/i.test(name) ? args.slice(0, 2) : args)];
  });

const printable = fc.stringMatching(/^[ -~]{0,6}$/);
const piece = fc.oneof(
  { weight: 6, arbitrary: command.map(encode) },
  // On a line of its own, lest garbage before it makes it another command of Redis.
  command.map((args) => `\r\n${args.map((arg) => JSON.stringify(arg)).join(' ')}\r\n`),
  fc.constantFrom('*', '$', '\r\n', '\r', '\n', '*2\r\n', '$3\r\n', '*-1\r\n', '$-1\r\n', "'", ':'),
  printable,
);
const conversation = fc.array(piece, { minLength: 1, maxLength: 12 }).map((all) => all.join(''));

async function answer(port: number, bytes: string): Promise<string> {
  const client = await WireClient.connect(port);
  client.send(bytes);
  client.finish();
  try {
    return await client.rest();
  } finally {
    client.kill();
  }
}

describe('JavaScript, C++ and Redis', () => {
  let redis: { port: number; kill: () => void };
  const servers: ServerProcess[] = [];
  before(async () => {
    redis = await startRedis();
    servers.push(await ServerProcess.start(jsServer), await ServerProcess.start(cppServer));
  });
  after(async () => {
    redis.kill();
    for (const server of servers) expect(await server.stop()).to.include(nothingLeft);
  });

  it('have the same options', () => {
    const said = [jsServer, cppServer].map(({ command, args }) => {
      const { status, stdout } = spawnSync(command, [...args, '--help'], { encoding: 'utf8' });
      return { status, stdout };
    });
    expect(said[1]).to.deep.equal(said[0]);
    expect(said[0]).to.include({ status: 0 });
    expect(said[0]!.stdout).to.match(/^ {2}--serverRate 0 {2,}\w/m);
  });
  it('say the same in 300 random conversations', async () => {
    const ports = [redis.port, ...servers.map(({ port }) => port)];
    const same = fc.asyncProperty(conversation, async (bytes) => {
      const [expected, ...seen] = await Promise.all(ports.map((port) => answer(port, bytes)));
      for (const said of seen) expect(said).to.equal(expected);
    });
    await fc.assert(same, { numRuns: 300, endOnFailure: true });
  }).timeout(60_000);
});
