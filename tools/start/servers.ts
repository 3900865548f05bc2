import { ServerProcess } from '../resp/serverprocess.js';
import type { ServerCommand } from '../resp/servers.js';
import { say } from './progress.js';
import { table } from './table.js';

/** Starts them into `servers`, one after the other, and says where each is: whoever is interrupted ends those that are there. */
export async function startServers(
  servers: ServerProcess[],
  commands: readonly ServerCommand[],
  options: string[],
): Promise<void> {
  for (const command of commands) {
    const server = await ServerProcess.start(command, options);
    servers.push(server);
    say(`    ${server.name.padEnd(12)}127.0.0.1:${server.port}  (pid ${server.pid})`);
    if (server.url !== undefined) say(`    ${''.padEnd(12)}${server.url}`);
  }
}

/** Stops the servers and prints their last words, with what else must be 0. True: they are clean, and have told the errors that were `wanted`. */
export async function showTotals(
  servers: readonly ServerProcess[],
  wanted: number,
  left: 'waiters' | 'timers',
): Promise<boolean> {
  const rows = [];
  let clean = true;
  for (const server of servers) {
    const last = await server.stop();
    const unexpected = last.errors - wanted + last.failed;
    const { accepted, requests, flowsAlive } = last;
    rows.push([server.name, accepted, requests, wanted, unexpected, flowsAlive, last[left]]);
    clean &&= unexpected === 0 && flowsAlive === 0 && last[left] === 0;
  }
  say('');
  table([
    ['', 'connections', 'requests', 'errors asked for', 'errors', 'flows still alive', left],
    ...rows,
  ]);
  return clean;
}
