import { setImmediate as turn } from 'node:timers/promises';
import type { Crowd as Waiting } from '../crowds.js';

/** Calls that wait, each with a deadline if told so, until they are told to go on. */
export class Crowd implements Waiting {
  readonly #resolvers: (() => void)[];
  readonly #deadline: (() => number) | null;
  #waiting = 0;
  #ended = 0;

  constructor(size: number, deadline: (() => number) | null = null) {
    this.#resolvers = new Array<() => void>(size).fill(() => {});
    this.#deadline = deadline;
  }

  async #wait(): Promise<void> {
    const told = new Promise<void>((resolve) => {
      this.#resolvers[this.#waiting++] = resolve;
    });
    if (this.#deadline === null) await told;
    else await this.#limited(told, this.#deadline());
    this.#ended++;
  }

  async #limited(told: Promise<void>, ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('Timeout')), ms);
    });
    await Promise.race([told, late]);
    clearTimeout(timer);
  }

  async gather(): Promise<void> {
    for (let i = 0; i < this.#resolvers.length; i++) void this.#wait();
    await turn();
  }

  async dismiss(): Promise<number> {
    for (const resolve of this.#resolvers) resolve();
    while (this.#ended < this.#resolvers.length) await turn();
    return this.#ended;
  }
}
