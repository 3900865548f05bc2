/** A process of a subject: of Node, or of C++, which says the same in lines of text. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Counted } from '../js/redis/tally.js';
import type { Subject } from './scenarios.js';

const build = fileURLToPath(new URL('../../build', import.meta.url));
const main = `${build}/bench-js/redis/main.js`;

/** The program that starts it, and what comes before its own arguments. */
export function startOf({ stem, native }: Subject, node: string): readonly string[] {
  return native === undefined ? [node, main, stem] : [`${build}/${native}`];
}

export interface Member {
  readonly child: ChildProcess;
  say(what: 'measure' | 'stop'): void;
  /** What it says next: that it's ready, or what it has counted. */
  said(): Promise<unknown>;
}

/** `args`: its program, the port, how many lines, the first of them. */
export function member(
  subject: Subject,
  node: string,
  args: readonly string[],
  timeout: number,
): Member {
  return subject.native === undefined
    ? ofNode(subject, node, args, timeout)
    : native(subject, args, timeout);
}

function ofNode({ stem }: Subject, node: string, args: readonly string[], timeout: number): Member {
  // No loader: it would take steptree's sources for its package.
  const options = { execPath: node, execArgv: [], serialization: 'advanced' as const };
  const child = fork(main, [stem, ...args], { ...options, timeout });
  return {
    child,
    say: (what) => void child.send(what),
    said: () => new Promise((resolve) => child.once('message', resolve)),
  };
}

function native(subject: Subject, args: readonly string[], timeout: number): Member {
  const [program = ''] = startOf(subject, '');
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], timeout });
  child.stdin.on('error', () => {}); // that it has ended is heard by its end
  const lines = createInterface(child.stdout);
  return {
    child,
    say: (what) => void child.stdin.write(`${what}\n`),
    said: () =>
      new Promise((resolve) => {
        lines.once('line', (line) => resolve(line === 'ready' ? line : countedIn(line)));
      }),
  };
}

function countedIn(text: string): Counted {
  const { count, cpu, times, chains } = JSON.parse(text) as {
    count: number;
    cpu: number;
    times: [number, number][];
    chains: [number, number, number][];
  };
  return {
    ...{ count, cpu, times: new Map(times), spans: new Float64Array(), admitted: 0 },
    chains: new Map(chains.map(([chain, last, many]) => [chain, { last, count: many }])),
  };
}
