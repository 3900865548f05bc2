/** What a process counts: operations and how long each took, while it is measured. */

export interface Counted {
  readonly count: number;
  /** By the logarithm of the microseconds: so many. */
  readonly times: ReadonlyMap<number, number>;
  /** When each section began and ended, in milliseconds of a clock that all processes share. */
  readonly spans: Float64Array;
  /** Of each chain of jobs: which the last was, and how many there were. From the beginning on. */
  readonly chains: ReadonlyMap<number, { readonly last: number; readonly count: number }>;
  /** How many were let in since the beginning. */
  readonly admitted: number;
  /** Milliseconds of the CPU. */
  readonly cpu: number;
}

/** Steps of two percent. */
const steps = 50;

/** The lower end of a class of times, in microseconds. */
export const microseconds = (step: number): number => Math.exp(step / steps);

export class Tally {
  isOver = false;
  admitted = 0;
  #failure: unknown;
  #isCounting = false;
  #count = 0;
  #cpu = process.cpuUsage();
  readonly #times = new Map<number, number>();
  readonly #spans: number[] = [];
  readonly #chains = new Map<number, { last: number; count: number }>();

  /** Milliseconds since the machine was started: the same in all processes. */
  now(): number {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  }

  start(): void {
    this.#isCounting = true;
    this.#cpu = process.cpuUsage();
  }

  /** One operation, which began then, has ended. */
  add(began: number, ended = this.now()): void {
    if (!this.#isCounting) return;
    this.#count++;
    const step = Math.round(Math.log(Math.max(1, (ended - began) * 1000)) * steps);
    this.#times.set(step, (this.#times.get(step) ?? 0) + 1);
  }

  /** A section that must not meet another one. */
  span(began: number): void {
    if (this.#isCounting) this.#spans.push(began, this.now());
  }

  job(chain: number, number: number): void {
    const known = this.#chains.get(chain) ?? { last: -1, count: 0 };
    known.last = Math.max(known.last, number);
    known.count++;
    this.#chains.set(chain, known);
  }

  fail(error: unknown): void {
    this.#failure ??= error;
    this.isOver = true;
  }

  stop(): Counted {
    this.#isCounting = false;
    this.isOver = true;
    if (this.#failure !== undefined) throw this.#failure;
    const { user, system } = process.cpuUsage(this.#cpu);
    return {
      count: this.#count,
      times: this.#times,
      spans: Float64Array.from(this.#spans),
      chains: this.#chains,
      admitted: this.admitted,
      cpu: (user + system) / 1000,
    };
  }
}
