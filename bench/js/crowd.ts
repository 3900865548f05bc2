import { setImmediate as turn } from 'node:timers/promises';
import { AsyncSteps, type IAsyncSteps, type ICompletion, step } from 'steptree';
import type { Crowd as Waiting } from './crowds.js';

/** Flows that wait in a step, until they are told to go on. */
export class Crowd implements Waiting {
  readonly #completions: (ICompletion | null)[];
  #waiting = 0;
  #ended = 0;
  readonly #deadline: (() => number) | null;
  readonly #defined: boolean;

  /** With room for `size` flows; each sets a deadline of so many milliseconds, if told so; all run one step value, if told so. */
  constructor(size: number, deadline: (() => number) | null = null, defined = false) {
    this.#completions = new Array<ICompletion | null>(size).fill(null);
    this.#deadline = deadline;
    this.#defined = defined;
  }

  /** Is resolved when they all wait. */
  async gather(): Promise<void> {
    const body = (asi: IAsyncSteps) => {
      if (this.#deadline !== null) asi.setTimeout(this.#deadline());
      this.#completions[this.#waiting++] = asi.waitExternal();
    };
    const end = () => {
      this.#ended++;
    };
    const added = this.#defined ? step(body) : body;
    for (let i = 0; i < this.#completions.length; i++) new AsyncSteps().add(added).execute(end);
    while (this.#waiting < this.#completions.length) await turn();
  }

  /** Gives how many flows have ended. */
  async dismiss(): Promise<number> {
    for (const completion of this.#completions) completion!.success();
    while (this.#ended < this.#completions.length) await turn();
    return this.#ended;
  }
}
