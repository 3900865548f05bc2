/** Verifies, warms up and times one program of one subject. */
import type { Program, Subject, Watch } from './subject.js';

export interface Measured {
  readonly ns: number;
  readonly bytes?: number;
  /** The peak of the process so far. */
  readonly rss: number;
}

const verifiedSize = 300;
const warmUps = 4;

class Stopwatch implements Watch {
  operations: number;
  declare ns?: number;
  declare bytes?: number;
  #started = process.hrtime.bigint();
  #stopped: bigint | null = null;

  readonly warming: boolean;

  constructor(size: number, warming: boolean) {
    this.operations = size;
    this.warming = warming;
  }

  start(): void {
    this.#started = process.hrtime.bigint();
  }

  stop(): void {
    this.#stopped = process.hrtime.bigint();
  }

  perOperation(): number {
    return this.ns ?? Number(this.#stopped! - this.#started) / this.operations;
  }

  stopOnce(): void {
    if (this.#stopped === null) this.stop();
  }
}

async function once(program: Program, size: number, warming: boolean): Promise<Stopwatch> {
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
export async function verify(subject: Subject, scenario: string): Promise<void> {
  await once(programOf(subject, scenario), verifiedSize, true);
}

/** Warm means: compiled for what it does here, with a heap that has grown. */
export async function measure(subject: Subject, scenario: string, size: number): Promise<Measured> {
  const program = programOf(subject, scenario);
  await verify(subject, scenario);
  for (let i = 0; i < warmUps; i++) await once(program, Math.ceil(size / (2 * warmUps)), true);
  globalThis.gc?.();
  const watch = await once(program, size, false);
  return {
    ns: watch.perOperation(),
    ...(watch.bytes !== undefined && { bytes: watch.bytes }),
    rss: process.resourceUsage().maxRSS * 1024,
  };
}
