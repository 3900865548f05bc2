/** Where and of what the figures were made. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory: string;
  readonly system: string;
}

function firstLine(command: string, ...args: readonly string[]): string {
  try {
    return execFileSync(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .split('\n')[0]!
      .trim();
  } catch {
    return 'unknown';
  }
}

function distribution(): string {
  try {
    return /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? type();
  } catch {
    return type();
  }
}

export function machine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? process.arch,
    cores: cpus().length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${distribution()}, ${type()} ${release()}`,
  };
}

/** The commit, and whether something else than it was measured. */
export function commit(): string {
  const hash = firstLine('git', 'rev-parse', '--short=12', 'HEAD');
  const measured = ['cpp', 'js/src', 'bench/cpp', 'bench/js', 'bench/package-lock.json'];
  const changed = firstLine('git', 'status', '--porcelain', '--', ...measured);
  return changed === '' || hash === 'unknown' ? hash : `${hash}, changed`;
}
