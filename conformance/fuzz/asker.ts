/** An implementation that is asked many programs at a time, and started again after one that it doesn't survive. */
import { Adapter, type Answer } from '../adapter.js';
import type { Program } from '../case.js';
import { type Implementation, type Limits, startUp } from '../execute.js';

export class Asker {
  readonly name: string;
  readonly #command: string;
  readonly #limits: Limits;
  readonly #cwd: string;
  #running: Promise<Adapter> | undefined;
  #id = 0;

  constructor({ name, command }: Implementation, limits: Limits, cwd: string) {
    this.name = name;
    this.#command = command;
    this.#limits = limits;
    this.#cwd = cwd;
  }

  /** What was lost behind another's crash is asked again. */
  async ask(program: Program): Promise<Answer> {
    for (;;) {
      const running = (this.#running ??= this.#start());
      const adapter = await running;
      const answer = await adapter.ask(this.#id++, program, this.#limits.caseMs);
      const isBroken = 'fault' in answer && answer.broken;
      if (isBroken && this.#running === running) this.#running = undefined;
      if (!isBroken || !answer.lost) return answer;
    }
  }

  /** As after a crash: what comes next is asked of a process that knows of nothing before. */
  async restart(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await (await running)?.end(this.#limits.startMs);
  }

  /** A fault, if its process doesn't end as it should: leak checkers say so. */
  async end(): Promise<string | undefined> {
    return (await this.#running)?.end(this.#limits.startMs);
  }

  async #start(): Promise<Adapter> {
    const adapter = new Adapter(this.#command, this.#cwd);
    const started = await adapter.ask(this.#id++, startUp, this.#limits.startMs);
    if ('fault' in started) throw new Error(`${this.name}, at its start: ${started.fault}`);
    return adapter;
  }
}
