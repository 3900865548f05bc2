import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cppBinary, python } from './build.js';

/** How a server is started. */
export interface ServerCommand {
  name: string;
  command: string;
  args: string[];
  /** Says how full its heap is, see `heap.ts`. */
  tellsHeap?: true;
}

const root = join(import.meta.dirname, '../..');
const jsMain = join(root, 'js/examples/resp/main.ts');
const heapModule = pathToFileURL(join(import.meta.dirname, 'heap.ts')).href;

export const jsServer: ServerCommand = {
  name: 'JavaScript',
  command: process.execPath,
  args: ['--import', 'tsx', jsMain],
};

/** The same, with a collector that may be called and asked. */
export const jsServerTellingHeap: ServerCommand = {
  name: 'JavaScript',
  command: process.execPath,
  args: ['--expose-gc', '--import', 'tsx', '--import', heapModule, jsMain],
  tellsHeap: true,
};

/** `RESP_CPP` names another binary, one with sanitizers for instance. */
export const cppServer: ServerCommand = {
  name: 'C++',
  command: process.env['RESP_CPP'] ?? cppBinary,
  args: [],
};

/** The small one, for plug-ins. */
export const pythonServer: ServerCommand = {
  name: 'Python',
  command: python,
  args: [join(root, 'python/examples/resp')],
};

/** Redis itself. Debian's redis-tools have no redis-server, but its binary under another name. */
export async function startRedis(): Promise<{ port: number; kill: () => void }> {
  const name = join(mkdtempSync(join(tmpdir(), 'resp-')), 'redis-server');
  symlinkSync('/usr/bin/redis-check-rdb', name);
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of child.stdout.setEncoding('utf8')) {
    if (String(line).includes('Ready to accept connections')) break;
  }
  await once(connect(port, '127.0.0.1').unref(), 'connect');
  return { port, kill: () => void child.kill('SIGKILL') };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
