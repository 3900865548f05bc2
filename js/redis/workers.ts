/** Processes that work, which tests kill, pause and end. They end with the test's process, at the latest. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { redisScripts } from '../../tools/redis/scripts.js';
import type { WorkerOptions } from '../src/redis.js';
import type { clients } from './clients.js';

export type ProcessOptions = WorkerOptions & { readonly client?: keyof typeof clients };

const running = new Set<WorkerProcess>();
process.on('exit', () => {
  for (const one of running) one.signal('SIGKILL');
});

let program: string | undefined;

/** One file, as it starts four times as fast as its sources do. */
function built(): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  program ??= join(root, 'build/redis/worker.mjs');
  buildSync({
    absWorkingDir: root,
    entryPoints: ['js/redis/workerprocess.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    define: { 'globalThis.redisScripts': JSON.stringify(redisScripts()) },
    logLevel: 'warning',
  });
  return program;
}

export class WorkerProcess {
  /** What it has said. */
  readonly lines: string[] = [];
  /** With which code or by which signal it has ended. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly #child: ChildProcess;

  constructor(
    url: string,
    queue: string,
    options: ProcessOptions = {},
    heard: (line: string) => void = () => {},
  ) {
    const args = [program ?? built(), url, queue, JSON.stringify(options)];
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
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
