/** A command of the mutation check: it has a time limit, and is ended with all that it started. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface Ran {
  /** undefined: it took too long, or said nothing for too long, or was ended by a signal. */
  readonly exitCode: number | undefined;
  readonly output: string;
}

const outputKept = 20_000;

export function start(command: readonly string[], cwd: string, env: object = {}): ChildProcess {
  const [program, ...args] = command;
  // A group of its own: what it starts is ended with it.
  return spawn(program!, args, { cwd, env: { ...process.env, ...env }, detached: true });
}

export function end({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone by itself in the meantime.
  }
}

export function run(
  command: readonly string[],
  cwd: string,
  limitMs: number,
  env: object = {},
  silenceMs = limitMs,
): Promise<Ran> {
  const child = start(command, cwd, env);
  let output = '';
  let silence = setTimeout(() => end(child), silenceMs);
  const keep = (text: string) => {
    output = (output + text).slice(-outputKept);
    clearTimeout(silence);
    silence = setTimeout(() => end(child), silenceMs);
  };
  child.stdin!.end();
  child.stdout!.setEncoding('utf8').on('data', keep);
  child.stderr!.setEncoding('utf8').on('data', keep);
  const timer = setTimeout(() => end(child), limitMs);
  return new Promise((resolve) => {
    const settle = (exitCode: number | undefined) => {
      clearTimeout(timer);
      clearTimeout(silence);
      resolve({ exitCode, output });
    };
    child.on('error', () => settle(undefined));
    child.on('close', (code) => settle(code ?? undefined));
  });
}
