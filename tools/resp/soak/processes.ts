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
  await once(child.stdout, 'data');
  await delay(world.chance(300));
  child.kill('SIGKILL');
  await once(child, 'close');
  await delay(world.chance(2000));
}

async function main(port: number): Promise<void> {
  for (let i = 0; i < 8; i += 1) beginSomething(await WireClient.connect(port), i);
  process.stdout.write('ready\n');
}

if (process.argv[1] === import.meta.filename) await main(Number(process.argv[2]));
