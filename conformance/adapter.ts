/** One adapter process: a case in, an answer out. Any fault of the process is told, not thrown. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Case } from './case.js';

export type Answer =
  | { readonly trace: readonly string[] }
  /** Why there is no trace. After a broken one the process is gone. */
  | { readonly fault: string; readonly broken: boolean };

/** Told to a waiting ask or end: a line of output, or why there will be none. */
type Event = { line: string } | { gone: string };

const stderrKept = 2000;
const shownOfGarbage = 200;

export class Adapter {
  readonly #child: ChildProcess;
  #waiting: ((event: Event) => void) | undefined;
  readonly #events: Event[] = [];
  #unread = '';
  #stderr = '';
  #exitCode: number | undefined;

  constructor(command: string, cwd: string) {
    // A group of its own: the shell and what it started are ended together.
    this.#child = spawn('sh', ['-c', command], { cwd, detached: true, stdio: 'pipe' });
    const { stdin, stdout, stderr } = this.#child;
    stdin?.on('error', () => undefined); // A write to a dead process: its end is told by 'close'.
    stdout?.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrKept);
    });
    this.#child.on('error', (error) => this.#tell({ gone: `cannot be started: ${error.message}` }));
    this.#child.on('close', (code, signal) => {
      this.#exitCode = code ?? -1;
      this.#tell({ gone: signal === null ? `exit code ${code}` : `signal ${signal}` });
    });
  }

  async ask(id: number, program: Omit<Case, 'trace'>, limitMs: number): Promise<Answer> {
    this.#child.stdin?.write(`${JSON.stringify({ id, case: program })}\n`);
    const event = await this.#next(limitMs);
    if (event === undefined) return this.#broken(`hangs: no answer within ${limitMs} ms`);
    if ('gone' in event) return this.#broken(`crashed: ${event.gone}`);
    return readAnswer(event.line, id) ?? this.#broken(`garbage: ${cut(event.line)}`);
  }

  /** Ends the input and waits for the process; a fault if it doesn't leave with exit code 0. */
  async end(limitMs: number): Promise<string | undefined> {
    this.#child.stdin?.end();
    for (;;) {
      const event = await this.#next(limitMs);
      if (event === undefined)
        return this.#fault(`is still there ${limitMs} ms after the last case`);
      if ('line' in event) return this.#fault(`garbage after the last case: ${cut(event.line)}`);
      return this.#exitCode === 0 ? undefined : this.#fault(`ended with ${event.gone}`);
    }
  }

  #broken(what: string): Answer {
    return { fault: this.#fault(what), broken: true };
  }

  #fault(what: string): string {
    this.#kill();
    const said = this.#stderr.trim();
    return said === '' ? what : `${what}\n${said}`;
  }

  #kill(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#exitCode !== undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Gone by itself in the meantime.
    }
  }

  #read(text: string): void {
    const lines = (this.#unread + text).split('\n');
    this.#unread = lines.pop() ?? '';
    for (const line of lines) this.#tell({ line });
  }

  #tell(event: Event): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#events.push(event);
    else waiting(event);
  }

  #next(limitMs: number): Promise<Event | undefined> {
    const event = this.#events.shift();
    if (event !== undefined) return Promise.resolve(event);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting = undefined;
        resolve(undefined);
      }, limitMs);
      this.#waiting = (told) => {
        clearTimeout(timer);
        resolve(told);
      };
    });
  }
}

function readAnswer(line: string, id: number): Answer | undefined {
  let answer: { id?: unknown; trace?: unknown; error?: unknown };
  try {
    answer = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof answer !== 'object' || answer === null || answer.id !== id) return undefined;
  const { trace, error } = answer;
  if (typeof error === 'string') return { fault: `adapter: ${error}`, broken: false };
  if (!Array.isArray(trace) || !trace.every((event) => typeof event === 'string')) return undefined;
  return { trace };
}

function cut(line: string): string {
  return line.length <= shownOfGarbage ? line : `${line.slice(0, shownOfGarbage)}…`;
}
