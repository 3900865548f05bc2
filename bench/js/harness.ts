/** Verifies, warms up and times one program of one subject. */
import { readFileSync } from 'node:fs';
import type { Program, Subject, Watch } from './subject.js';

export interface Measured {
  readonly ns: number;
  /** The CPU's part of it, of all threads: on a machine that does other things too it says more. */
  readonly cpu: number;
  readonly bytes?: number;
  /** The peak of the process so far. */
  readonly rss: number;
}

/** Its own: what `resourceUsage` says includes what the process was before its exec. Other systems have nothing better. */
function peakBytes(): number {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    return Number(/^VmHWM:\s*(\d+)/m.exec(status)![1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}

export const verifiedSize = 300;
const warmUps = 4;
const warmUpMs = 60;

class Stopwatch implements Watch {
  operations: number;
  declare ns?: number;
  declare bytes?: number;
  #started = process.hrtime.bigint();
  #cpuStarted = process.cpuUsage();
  #stopped: bigint | null = null;
  #cpu = 0;

  readonly warming: boolean;

  constructor(size: number, warming: boolean) {
    this.operations = size;
    this.warming = warming;
  }

  start(): void {
    this.#cpuStarted = process.cpuUsage();
    this.#started = process.hrtime.bigint();
  }

  stop(): void {
    this.#stopped = process.hrtime.bigint();
    const { user, system } = process.cpuUsage(this.#cpuStarted);
    this.#cpu = (user + system) * 1000;
  }

  perOperation(): number {
    return this.ns ?? Number(this.#stopped! - this.#started) / this.operations;
  }

  worked(): number {
    return this.#cpu / this.operations;
  }

  stopOnce(): void {
    if (this.#stopped === null) this.stop();
  }
}

export async function once(program: Program, size: number, warming: boolean): Promise<Stopwatch> {
  const watch = new Stopwatch(size, warming);
  watch.start();
  const right = await program(size, watch);
  watch.stopOnce();
  if (right !== size) throw new Error(`${right} of ${size} operations ended as they should`);
  return watch;
}

export function programOf(subject: Subject, scenario: string): Program {
  const program = subject.programs[scenario];
  if (program !== undefined) return program;
  const names = Object.keys(subject.programs).join(', ');
  throw new Error(`${subject.name} has no program of '${scenario}', but of: ${names}`);
}

/** A small run, whose result is right. */
export async function verify(subject: Subject, scenario: string, size: number): Promise<void> {
  await once(programOf(subject, scenario), Math.min(size, verifiedSize), true);
}

/**
 * Warm means: compiled for what it does here, in a heap that has grown. At least as many operations as are timed, and no
 * collection between them and the timed ones: V8 drops optimised code with the last instance of a class that it knows.
 */
async function warmUp(program: Program, size: number): Promise<void> {
  const chunk = Math.ceil(size / warmUps);
  const end = performance.now() + warmUpMs;
  for (let i = 0; i < warmUps || performance.now() < end; i++) await once(program, chunk, true);
}

export async function measure(subject: Subject, scenario: string, size: number): Promise<Measured> {
  const program = programOf(subject, scenario);
  await verify(subject, scenario, size);
  globalThis.gc?.();
  await warmUp(program, size);
  const watch = await once(program, size, false);
  return {
    ns: watch.perOperation(),
    cpu: watch.worked(),
    ...(watch.bytes !== undefined && { bytes: watch.bytes }),
    rss: peakBytes(),
  };
}
