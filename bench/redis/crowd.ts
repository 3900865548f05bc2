/** Starts the processes of a subject, and has them count for a while, all at the same time. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Counted } from '../js/redis/tally.js';

const main = fileURLToPath(new URL('../../build/bench-js/redis/main.js', import.meta.url));
const limitMs = 120_000;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface Load {
  /** Its file. */
  readonly stem: string;
  readonly program: string;
  readonly processes: number;
  /** Of all processes. */
  readonly lines: number;
  readonly node: string;
}

export class Crowd {
  readonly #children: readonly ChildProcess[];
  readonly #failed: Promise<never>;
  #isEnding = false;

  constructor({ stem, program, processes, lines, node }: Load, port: number) {
    const each = lines / processes;
    this.#children = Array.from({ length: processes }, (_, i) => {
      const first = Math.round(i * each);
      const own = Math.round((i + 1) * each) - first;
      const args = [stem, program, port, own, first].map(String);
      // No loader: it would take steptree's sources for its package.
      const options = { execPath: node, execArgv: [], serialization: 'advanced' as const };
      return fork(main, args, { ...options, timeout: limitMs });
    });
    this.#failed = new Promise((_, reject) => {
      for (const child of this.#children) {
        running.add(child);
        child.on('error', reject);
        child.on('exit', (code, signal) => {
          running.delete(child);
          if (!this.#isEnding) reject(new Error(`a process has ended: ${code ?? signal}`));
        });
      }
    });
    this.#failed.catch(() => {});
  }

  /** Settles when the lines of all run. */
  async ready(): Promise<void> {
    await this.#said();
  }

  measure(): void {
    for (const child of this.#children) child.send('measure');
  }

  /** What each has counted. */
  async stop(): Promise<Counted[]> {
    const said = this.#said();
    for (const child of this.#children) child.send('stop');
    const counted = (await said) as Counted[];
    this.#isEnding = true;
    return counted;
  }

  /** Whatever it does. */
  kill(): void {
    this.#isEnding = true;
    for (const child of this.#children) child.kill('SIGKILL');
  }

  #said(): Promise<unknown[]> {
    const all = this.#children.map((child) => {
      return new Promise((resolve) => child.once('message', resolve));
    });
    return Promise.race([Promise.all(all), this.#failed]);
  }
}
