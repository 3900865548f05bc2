import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { RedisCli } from '../resp/rediscli.js';
import type { ServerProcess, Statistics } from '../resp/serverprocess.js';
import { say } from './progress.js';

/** Kills a client that waits in BLPOP: his flow and his place in the queue go with him, a later element does not. */
export async function showCancellation(server: ServerProcess): Promise<void> {
  const cli = new RedisCli(server.port);
  const tell = (what: string) => say(`    ${server.name.padEnd(12)}${what}`);
  const show = (what: string, { flowsAlive, waiters }: Statistics) => {
    tell(`${what.padEnd(44)} flows ${flowsAlive - 1}, waiters ${waiters}`);
  };
  try {
    show('nobody is there but who asks', await until(cli, ({ flowsAlive }) => flowsAlive === 1));
    const args = ['-h', '127.0.0.1', '-p', String(server.port), 'BLPOP', 'jobs', '0'];
    const waiting = spawn('redis-cli', args, { stdio: 'ignore' });
    const ended = once(waiting, 'exit');
    const there = await until(cli, ({ waiters }) => waiters === 1);
    show(`$ redis-cli BLPOP jobs 0    (pid ${waiting.pid})`, there);
    waiting.kill('SIGKILL');
    await ended;
    const start = performance.now();
    const gone = await until(cli, ({ flowsAlive, waiters }) => waiters === 0 && flowsAlive === 1);
    show(`$ kill -9 ${waiting.pid}`, gone);
    tell(`  (seen after ${(performance.now() - start).toFixed(1)} ms)`);
    const length = await cli.ask('LPUSH jobs precious');
    tell(`$ redis-cli LPUSH jobs precious              ${length.trimEnd()}`);
    const element = await cli.ask('BLPOP jobs 1');
    tell(`$ redis-cli BLPOP jobs 1                     ${element.trimEnd().replace('\n', '  ')}`);
    if (element !== '1) "jobs"\n2) "precious"\n') throw new Error('the element is lost');
  } finally {
    cli.close();
  }
}

/** Asks for the counters until they are so, for five seconds at most. */
async function until(
  cli: RedisCli,
  condition: (counted: Statistics) => boolean,
): Promise<Statistics> {
  const deadline = performance.now() + 5000;
  for (;;) {
    const answer = await cli.ask('STEPTREE.STATS');
    const counted = JSON.parse(JSON.parse(answer) as string) as Statistics;
    if (condition(counted)) return counted;
    if (performance.now() > deadline) throw new Error(`waited in vain; the server says ${answer}`);
  }
}
