/** Runs one command of the checks: its output goes to a log, its progress to the terminal. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';

export interface Run {
  readonly exitCode: number;
  readonly output: string;
}

/** Groups of commands that run; they are ended with this process. */
const groups = new Set<number>();
process.on('exit', () => groups.forEach(endGroup));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(1));
}

const signOfLifeMs = 20_000;
const limitMs = 15 * 60_000;
const shown = 100;

export function run(command: string, cwd: string, log: string): Promise<Run> {
  const file = createWriteStream(log, { flags: 'a' });
  file.write(`$ ${command}\n`);
  const child = spawn('bash', ['-o', 'pipefail', '-c', command], {
    cwd,
    detached: true, // A group of its own, so that a command that hangs is ended with all that it started.
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' },
  });
  const group = child.pid ?? 0;
  groups.add(group);
  let output = '';
  const take = (text: string) => {
    output += text;
    file.write(text);
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const signOfLife = setInterval(() => console.log(`      … ${lastLine(output)}`), signOfLifeMs);
  const limit = setTimeout(() => {
    take(`\nended after ${limitMs / 1000} s\n`);
    endGroup(group);
  }, limitMs);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearInterval(signOfLife);
      clearTimeout(limit);
      groups.delete(group);
      file.end(() => resolve({ exitCode: code ?? -1, output }));
    });
  });
}

function endGroup(group: number): void {
  if (group > 0) process.kill(-group, 'SIGKILL');
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1)?.trim().slice(0, shown) ?? '';
}
