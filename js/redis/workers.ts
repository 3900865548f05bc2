/** Processes that work, call or serve, which tests kill, pause and end. They end with the test's process, at the latest. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { redisScripts } from '../../tools/redis/scripts.js';
import type { WorkerOptions } from '../src/redis.js';
import type { clients } from './clients.js';

export type ProcessOptions = WorkerOptions & { readonly client?: keyof typeof clients };

const running = new Set<Program>();
process.on('exit', () => {
  for (const one of running) one.signal('SIGKILL');
});

const built = new Set<string>();

/** One file, as it starts four times as fast as its sources do. */
function programOf(name: string): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const outfile = join(root, `build/redis/${name}.mjs`);
  if (built.has(name)) return outfile;
  built.add(name);
  buildSync({
    absWorkingDir: root,
    entryPoints: [`js/redis/${name}.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    define: { 'globalThis.redisScripts': JSON.stringify(redisScripts()) },
    logLevel: 'warning',
  });
  return outfile;
}

/** A file beside this one that runs as a process. */
export class Program {
  /** What it has said. */
  readonly lines: string[] = [];
  /** With which code or by which signal it has ended. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly #child: ChildProcess;

  constructor(name: string, args: readonly string[], heard: (line: string) => void = () => {}) {
    const all = [programOf(name), ...args];
    this.#child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] });
    running.add(this);
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      this.lines.push(line);
      heard(line);
    });
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => {
        running.delete(this);
        resolve(signal ?? code!);
      });
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** How often it has said that. */
  said(what: string): number {
    return this.lines.filter((line) => line.startsWith(what)).length;
  }
}

export class WorkerProcess extends Program {
  constructor(
    url: string,
    queue: string,
    options: ProcessOptions = {},
    heard: (line: string) => void = () => {},
  ) {
    super('workerprocess', [url, queue, JSON.stringify(options)], heard);
  }
}
