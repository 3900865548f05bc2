import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Diary } from './letters.js';

const root = join(import.meta.dirname, '../..');

/** A process that sends letters, with what it has said. It ends with this one, at the latest. */
export class LetterWorker {
  readonly name: string;
  readonly diary = new Diary();
  isKilled = false;
  /** It has connected, and works. */
  readonly ready: Promise<unknown>;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(name: string, command: readonly string[], port: number, lease: number) {
    const [program, ...args] = [...command, String(port), String(lease)];
    this.name = name;
    this.#child = spawn(program!, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    process.once('exit', () => this.#child.kill('SIGKILL'));
    this.#ended = once(this.#child, 'close');
    const lines = createInterface({ input: this.#child.stdout! });
    lines.on('line', (line) => this.diary.hear(line));
    const failed = this.#ended.then(() => Promise.reject(new Error(`${name} has ended`)));
    failed.catch(() => {});
    this.ready = Promise.race([once(lines, 'line'), failed]);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async kill(): Promise<void> {
    this.isKilled = true;
    this.#child.kill('SIGKILL');
    await this.#ended;
    this.diary.kill();
  }

  /** It takes no more, and ends. */
  async drain(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}
