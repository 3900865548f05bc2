import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { ServerProcess, Statistics } from '../resp/serverprocess.js';
import { say } from './progress.js';
import { showColumns } from './sidebyside.js';

const execute = promisify(execFile);

/**
 * A client of each server waits in BLPOP for what never comes, and is found in the tree of that server. Whether both show the same.
 * `meanwhile` runs while they are stuck.
 */
export async function showStuck(
  servers: readonly ServerProcess[],
  meanwhile: () => Promise<void>,
): Promise<boolean> {
  const clients = servers.map(({ port }) => new StuckClient(port));
  try {
    const trees = await Promise.all(clients.map((client) => client.tree()));
    const [js, cpp] = trees.map((tree) => tree.replaceAll(/\bflow \d+|\b\d+ ms\b/g, '#'));
    const equal = js === cpp;
    const lengths = trees.flatMap((tree) => tree.split('\n').map(({ length }) => length));
    showColumns(trees, equal, Math.max(...lengths));
    say(`\n    ${equal ? 'the same tree' : 'the trees are DIFFERENT'}`);
    await meanwhile();
    return equal;
  } finally {
    for (const client of clients) await client.end();
  }
}

class StuckClient {
  private readonly cli: readonly string[];
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor(port: number) {
    this.cli = ['-h', '127.0.0.1', '-p', String(port)];
    this.child = spawn('redis-cli', [...this.cli, 'BLPOP', 'jobs', '0'], { stdio: 'ignore' });
    this.ended = once(this.child, 'exit');
  }

  /** Of its server, as soon as it waits there. Who asks comes later, so his flow is behind. */
  async tree(): Promise<string> {
    await this.untilStuck();
    return this.ask('STEPTREE.FLOWS');
  }

  async end(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** For five seconds at most. */
  private async untilStuck(): Promise<void> {
    const deadline = performance.now() + 5000;
    for (;;) {
      const answer = await this.ask('STEPTREE.STATS');
      const { waiters } = JSON.parse(answer) as Statistics;
      if (waiters === 1) return;
      if (performance.now() > deadline) throw new Error(`nobody is stuck: ${answer}`);
    }
  }

  private async ask(command: string): Promise<string> {
    const { stdout } = await execute('redis-cli', [...this.cli, '--raw', command]);
    return stdout.trimEnd();
  }
}
