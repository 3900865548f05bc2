/** Starts the programs that are measured, one at a time, and reads what they say. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { Scenario } from './scenario.js';
import type { Subject } from './subjects.js';

export interface Measured {
  readonly ns: number;
  readonly bytes?: number;
  readonly rss?: number;
}

interface Output {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const limitMs = 120_000;
let running: ChildProcess | null = null;
process.on('exit', () => running?.kill('SIGKILL'));

/** One CPU for all, the last one: what else the machine does tends to be on the first. */
const pinning: readonly string[] = ((): readonly string[] => {
  try {
    const cpu = /(\d+)\s*$/.exec(execFileSync('taskset', ['-cp', String(process.pid)]).toString());
    return ['taskset', '-c', cpu?.[1] ?? String(availableParallelism() - 1)];
  } catch {
    return [];
  }
})();

export const pinned = pinning.length > 0;

function run(words: readonly string[]): Promise<Output> {
  const [command = '', ...args] = words;
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs });
    running = child;
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (err += text));
    child.on('error', (error) => resolve({ code: null, out, err: error.message }));
    child.on('close', (code, signal) => {
      running = null;
      resolve({ code, out, err: err.trim() || (signal === null ? '' : `ended by ${signal}`) });
    });
  });
}

/** What it says to `--list` or `--version`; null if it can't be started. */
export async function ask(subject: Subject, question: string): Promise<string | null> {
  const { code, out } = await run([subject.command, ...subject.args, question]);
  return code === 0 ? out.trim() : null;
}

export async function measure(
  subject: Subject,
  scenario: Scenario,
  size: number,
): Promise<Measured> {
  const { command, args, flags } = subject;
  const words = [command, ...args, scenario.name, String(size), ...flags];
  const { code, out, err } = await run(scenario.threads ? words : [...pinning, ...words]);
  if (code !== 0) throw new Error(err || `ended with code ${code}`);
  return read(out);
}

/** The one line that a program prints. */
export function read(out: string): Measured {
  let said: unknown;
  try {
    said = JSON.parse(out);
  } catch {
    throw new Error(`printed no line of JSON: ${out.slice(0, 200)}`);
  }
  const { ns, bytes, rss } = said as Record<string, unknown>;
  for (const [name, value] of Object.entries({ ns, bytes, rss })) {
    const missing = value === undefined && name !== 'ns';
    if (!missing && !(typeof value === 'number' && value > 0 && Number.isFinite(value)))
      throw new Error(`printed ${name}: ${JSON.stringify(value)}`);
  }
  return said as Measured;
}
