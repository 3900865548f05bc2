/** Starts the processes of a subject, and has them count for a while, all at the same time. */
import type { ChildProcess } from 'node:child_process';
import type { Counted } from '../js/redis/tally.js';
import { type Member, member } from './member.js';
import type { Subject } from './scenarios.js';

const limitMs = 120_000;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface Load {
  readonly subject: Subject;
  readonly program: string;
  readonly processes: number;
  /** Of all processes. */
  readonly lines: number;
  readonly node: string;
}

export class Crowd {
  readonly #members: readonly Member[];
  readonly #failed: Promise<never>;
  #isEnding = false;

  constructor({ subject, program, processes, lines, node }: Load, port: number) {
    const each = lines / processes;
    this.#members = Array.from({ length: processes }, (_, i) => {
      const first = Math.round(i * each);
      const own = Math.round((i + 1) * each) - first;
      return member(subject, node, [program, port, own, first].map(String), limitMs);
    });
    this.#failed = new Promise((_, reject) => {
      for (const { child } of this.#members) {
        running.add(child);
        child.on('error', reject);
        child.on('exit', (code, signal) => {
          running.delete(child);
          if (!this.#isEnding || code !== 0)
            reject(new Error(`a process has ended: ${code ?? signal}`));
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
    for (const one of this.#members) one.say('measure');
  }

  /** What each has counted. */
  async stop(): Promise<Counted[]> {
    const said = this.#said();
    this.#isEnding = true; // each ends when it has said it
    for (const one of this.#members) one.say('stop');
    return (await said) as Counted[];
  }

  /** Whatever it does. */
  kill(): void {
    this.#isEnding = true;
    for (const { child } of this.#members) child.kill('SIGKILL');
  }

  #said(): Promise<unknown[]> {
    return Promise.race([Promise.all(this.#members.map((one) => one.said())), this.#failed]);
  }
}
