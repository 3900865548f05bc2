/** Runs one command of the checks: its output goes to a log, its progress to the terminal. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';

export interface Run {
  readonly exitCode: number;
  readonly output: string;
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
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, limitMs);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearInterval(signOfLife);
      clearTimeout(limit);
      file.end(() => resolve({ exitCode: code ?? -1, output }));
    });
  });
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1)?.trim().slice(0, shown) ?? '';
}
