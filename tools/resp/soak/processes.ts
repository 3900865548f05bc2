import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { beginSomething } from '../unfinished.js';
import { WireClient } from '../wireclient.js';
import type { World } from './world.js';

/** A process full of clients is killed while all of them are in the middle of something. */
export async function killProcess(world: World): Promise<void> {
  const args = ['--import', 'tsx', import.meta.filename, String(world.port)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  // A process whose clients are all refused ends by itself, perhaps before it is killed.
  const closed = once(child, 'close') as Promise<[number | null]>;
  await Promise.race([once(child.stdout, 'data'), closed]);
  await delay(world.chance(300));
  child.kill('SIGKILL');
  const [code] = await closed;
  world.expect(!code, `a process of clients failed: exit code ${code}`);
  await delay(world.chance(2000));
}

async function main(port: number): Promise<void> {
  for (let i = 0; i < 8; i += 1) beginSomething(await WireClient.connect(port), i);
  process.stdout.write('ready\n');
}

if (process.argv[1] === import.meta.filename) await main(Number(process.argv[2]));
