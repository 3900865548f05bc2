import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { ServerProcess, Statistics } from '../resp/serverprocess.js';
import { say } from './progress.js';
import { showColumns } from './sidebyside.js';

const execute = promisify(execFile);

/** A client of each server waits in BLPOP for what never comes, and is found in the tree of that server. Whether both show the same. */
export async function showStuck(servers: readonly ServerProcess[]): Promise<boolean> {
  const trees = await Promise.all(servers.map(treeWithStuck));
  const [js, cpp] = trees.map((tree) => tree.replaceAll(/\bflow \d+/g, 'flow N'));
  const equal = js === cpp;
  showColumns(trees, equal, 66);
  say(`\n    ${equal ? 'the same tree' : 'the trees are DIFFERENT'}`);
  return equal;
}

async function treeWithStuck({ port }: ServerProcess): Promise<string> {
  const cli = ['-h', '127.0.0.1', '-p', String(port)];
  const stuck = spawn('redis-cli', [...cli, 'BLPOP', 'jobs', '0'], { stdio: 'ignore' });
  const ended = once(stuck, 'exit');
  try {
    await untilStuck([...cli, '--raw', 'STEPTREE.STATS']);
    const { stdout } = await execute('redis-cli', [...cli, '--raw', 'STEPTREE.FLOWS']);
    return stdout.trimEnd();
  } finally {
    stuck.kill('SIGKILL');
    await ended;
  }
}

/** For five seconds at most. Who asks comes later, so his flow is behind the other one. */
async function untilStuck(ask: readonly string[]): Promise<void> {
  const deadline = performance.now() + 5000;
  for (;;) {
    const { stdout } = await execute('redis-cli', ask);
    const { waiters } = JSON.parse(stdout) as Statistics;
    if (waiters === 1) return;
    if (performance.now() > deadline) throw new Error(`nobody is stuck: ${stdout}`);
  }
}
