/** One adapter process: cases in, answers out, in the same order. Any fault of the process is told, not thrown. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Program } from './case.js';

/** How many of a case's steps, and bodies of steps, are step values. */
export interface Share {
  readonly steps: number;
  readonly values: number;
  readonly bodies: number;
}

export type Answer =
  | {
      readonly trace: readonly string[];
      readonly alternatives?: readonly number[];
      readonly share?: Share;
    }
  /** Why the case isn't one for this implementation. */
  | { readonly unfit: string }
  /**
   * Why there is no trace. After a broken one the process is gone; what was asked behind it is lost,
   * which is nobody's fault.
   */
  | { readonly fault: string; readonly broken: boolean; readonly lost?: true };

interface Asked {
  readonly id: number;
  readonly limitMs: number;
  readonly tell: (answer: Answer) => void;
}

const stderrKept = 2000;
const shownOfGarbage = 200;

export class Adapter {
  readonly #child: ChildProcess;
  /** In the order in which they are answered. */
  readonly #asked: Asked[] = [];
  /** Of the first that is asked: it is the one that the process works at. */
  #timer: NodeJS.Timeout | undefined;
  #unread: string[] = [];
  #stderr = '';
  #exitCode: number | undefined;
  #gone: string | undefined;
  #garbage: string | undefined;
  #ended: (() => void) | undefined;

  constructor(command: string, cwd: string) {
    // A group of its own: the shell and what it started are ended together.
    this.#child = spawn('sh', ['-c', command], { cwd, detached: true, stdio: 'pipe' });
    const { stdin, stdout, stderr } = this.#child;
    stdin?.on('error', () => undefined); // A write to a dead process: its end is told by 'close'.
    stdout?.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrKept);
    });
    this.#child.on('error', (error) => this.#leave(`cannot be started: ${error.message}`));
    this.#child.on('close', (code, signal) => {
      this.#exitCode = code ?? -1;
      this.#leave(signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
  }

  /** Any number may be asked before the first is answered; each has its time from when the one before is. */
  ask(id: number, program: Program, limitMs: number): Promise<Answer> {
    return new Promise((tell) => {
      this.#asked.push({ id, limitMs, tell });
      if (this.#gone !== undefined) return this.#break(`crashed: ${this.#gone}`);
      this.#child.stdin?.write(`${JSON.stringify({ id, case: program })}\n`);
      if (this.#asked.length === 1) this.#watch();
    });
  }

  /** Ends the input and waits for the process; a fault if it doesn't leave with exit code 0. */
  async end(limitMs: number): Promise<string | undefined> {
    this.#child.stdin?.end();
    if (this.#gone === undefined) await this.#closed(limitMs);
    if (this.#garbage !== undefined)
      return this.#fault(`garbage after the last case: ${this.#garbage}`);
    if (this.#gone === undefined)
      return this.#fault(`is still there ${limitMs} ms after the last case`);
    return this.#exitCode === 0 ? undefined : this.#fault(`ended with ${this.#gone}`);
  }

  #closed(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#ended = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #leave(how: string): void {
    this.#gone ??= how;
    this.#ended?.();
    if (this.#asked.length > 0) this.#break(`crashed: ${how}`);
  }

  #watch(): void {
    clearTimeout(this.#timer);
    const [first] = this.#asked;
    if (first === undefined) return;
    const { limitMs } = first;
    this.#timer = setTimeout(() => this.#break(`hangs: no answer within ${limitMs} ms`), limitMs);
  }

  /** The first that is asked is to blame. */
  #break(what: string): void {
    clearTimeout(this.#timer);
    const fault = this.#fault(what);
    const [first, ...rest] = this.#asked.splice(0);
    first?.tell({ fault, broken: true });
    for (const { tell } of rest) tell({ fault, broken: true, lost: true });
  }

  #fault(what: string): string {
    this.#kill();
    const said = this.#stderr.trim();
    return said === '' ? what : `${what}\n${said}`;
  }

  #kill(): void {
    this.#gone ??= 'killed';
    const { pid } = this.#child;
    if (pid === undefined || this.#exitCode !== undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Gone by itself in the meantime.
    }
  }

  #read(text: string): void {
    const lines = text.split('\n');
    const last = lines.pop() as string;
    if (lines.length > 0) {
      lines[0] = this.#unread.splice(0).join('') + lines[0];
      for (const line of lines) this.#answer(line);
    }
    this.#unread.push(last);
  }

  #answer(line: string): void {
    const [first] = this.#asked;
    if (first === undefined) {
      this.#garbage ??= cut(line);
      this.#ended?.();
      return;
    }
    const answer = readAnswer(line, first.id);
    if (answer === undefined) return this.#break(`garbage: ${cut(line)}`);
    this.#asked.shift();
    this.#watch();
    first.tell(answer);
  }
}

function readAnswer(line: string, id: number): Answer | undefined {
  let answer: { [key in 'id' | 'trace' | 'alternatives' | 'share' | 'unfit' | 'error']?: unknown };
  try {
    answer = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof answer !== 'object' || answer === null || answer.id !== id) return undefined;
  const { trace, alternatives, share, unfit, error } = answer;
  if (typeof error === 'string') return { fault: `adapter: ${error}`, broken: false };
  if (typeof unfit === 'string') return { unfit };
  if (!Array.isArray(trace) || !trace.every((event) => typeof event === 'string')) return undefined;
  const told = { trace, ...(share === undefined ? {} : { share: share as Share }) };
  if (alternatives === undefined) return told;
  if (!Array.isArray(alternatives) || !alternatives.every(Number.isInteger)) return undefined;
  return { ...told, alternatives };
}

function cut(line: string): string {
  return line.length <= shownOfGarbage ? line : `${line.slice(0, shownOfGarbage)}…`;
}
