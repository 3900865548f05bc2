/** Runs one command of the checks: its output goes to a log, its progress to the terminal. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';

export interface Run {
  readonly exitCode: number;
  readonly output: string;
  /** Of the command and all that it has started and waited for: the machine may be busy with other things. */
  readonly cpuSeconds: number;
}

/** Groups of commands that run; they are ended with this process. */
const groups = new Set<number>();
process.on('exit', () => groups.forEach(endGroup));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(1));
}

const signOfLifeMs = 20_000;
/** A command that says nothing for so long hangs, however busy the machine is. */
const silenceMs = 30 * 60_000;
const shown = 100;

export function run(name: string, command: string, cwd: string, log: string): Promise<Run> {
  const file = createWriteStream(log, { flags: 'a' });
  file.write(`$ ${command}\n`);
  const started = performance.now();
  const child = spawn('bash', ['-o', 'pipefail', '-c', `trap 'times >&3' EXIT\n${command}`], {
    cwd,
    detached: true, // A group of its own, so that a command that hangs is ended with all that it started.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' },
  });
  const group = child.pid ?? 0;
  groups.add(group);
  let output = '';
  let times = '';
  const hang = () => {
    take(`\nended: nothing was said for ${silenceMs / 60_000} minutes\n`);
    endGroup(group);
  };
  let silence = setTimeout(hang, silenceMs);
  const take = (text: string) => {
    clearTimeout(silence);
    silence = setTimeout(hang, silenceMs);
    output += text;
    file.write(text);
  };
  const [, stdout, stderr, fromTrap] = child.stdio as unknown as Readable[];
  for (const stream of [stdout, stderr]) stream!.setEncoding('utf8').on('data', take);
  fromTrap!.setEncoding('utf8').on('data', (text: string) => (times += text));
  const tell = () => console.log(`      … ${name}: ${lastLine(output)}`);
  const signOfLife = setInterval(tell, signOfLifeMs);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearInterval(signOfLife);
      clearTimeout(silence);
      groups.delete(group);
      const cpuSeconds = sum(times);
      const seconds = (performance.now() - started) / 1000;
      file.write(`# ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s CPU\n`);
      file.end(() => resolve({ exitCode: code ?? -1, output, cpuSeconds }));
    });
  });
}

function endGroup(group: number): void {
  if (group > 0) process.kill(-group, 'SIGKILL');
}

/** What the shell's `times` prints: user and system time, its own and its children's, as 0m0.01s. */
function sum(times: string): number {
  const found = [...times.matchAll(/(\d+)m([\d.]+)s/g)];
  return found.reduce((total, [, m, s]) => total + 60 * Number(m) + Number(s), 0);
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1)?.trim().slice(0, shown) ?? '';
}
