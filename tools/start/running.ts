import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** As npm runs it, on a machine that is set up. */
export const shell = (options: string) => [
  '-c',
  `${scripts.start.replace('tools/setup start', 'true')} ${options}`,
];

/** `npm start` that is running, with what it has said. */
export class Run {
  readonly said: string[] = [];
  private readonly child: ChildProcess;
  private readonly exit: Promise<unknown[]>;
  private readonly lines: AsyncIterator<string>;

  /** In a process group of its own, as a terminal has it. */
  constructor(options: string) {
    this.child = spawn('sh', shell(options), {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.exit = once(this.child, 'exit');
    this.lines = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]();
  }

  /** The next line that is like that. */
  async line(form: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) throw new Error(`no ${form} in:\n${this.said.join('\n')}`);
      this.said.push(value);
      const found = form.exec(value);
      if (found !== null) return found;
    }
  }

  /** Of the servers, when all have been started. */
  async pids(more: readonly string[] = []): Promise<number[]> {
    const pids: number[] = [];
    for (const name of ['JavaScript', 'C\\+\\+', ...more]) {
      const [, pid] = await this.line(
        RegExp(`^ +${name} +127\\.0\\.0\\.1:\\d+ +\\(pid (\\d+)\\)$`),
      );
      pids.push(Number(pid));
    }
    return pids;
  }

  /** Of both servers, when their pages stay. */
  async urls(): Promise<string[]> {
    await this.line(/^ +look at both, each with the client that is stuck, until Ctrl-C:$/);
    const urls: string[] = [];
    for (const name of ['JavaScript', 'C\\+\\+']) {
      const [, url] = await this.line(RegExp(`^ +${name} +(http://127\\.0\\.0\\.1:\\d+/\\S+/)$`));
      urls.push(url!);
    }
    return urls;
  }

  /** Ctrl-C, which all of the group get, or what npm hands on to the one that it runs. */
  interrupt(how: 'Ctrl-C' | 'SIGTERM'): void {
    if (how === 'SIGTERM') this.child.kill(how);
    else process.kill(-this.child.pid!, 'SIGINT');
  }

  /** Its exit code. */
  async end(): Promise<unknown> {
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) break;
      this.said.push(value);
    }
    const [code] = await this.exit;
    return code;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

export function expectGone(pids: readonly number[]): void {
  expect(pids.filter(isThere)).to.deep.equal([]);
}

export function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
