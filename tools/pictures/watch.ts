/**
 * Watches steps in virtual time: when each has opened, how long its body has run, when it was left, and when it has closed. Its rows are
 * what has happened; nothing in them is drawn by hand.
 */
import {
  type IAsyncSteps,
  type IOutcome,
  local,
  type Part,
  type Step,
  step,
  VirtualTool,
} from 'steptree';
import type { Badge, Bar, Moment, Row } from './picture.js';

/** A watched step. */
class Watched {
  readonly name: string;
  readonly isCleanup: boolean;
  readonly inside: Watched[] = [];
  readonly badges: Badge[] = [];
  readonly opened: number;
  /** When its body has returned, when it was left in another way than well, when it has closed. */
  returned = Infinity;
  left = Infinity;
  closed = Infinity;
  outcome: IOutcome | undefined;

  constructor(name: string, opened: number, isCleanup: boolean) {
    this.name = name;
    this.opened = opened;
    this.isCleanup = isCleanup;
  }

  /** In the order of the tree: whoever is inside stands below. */
  rows(depth = 0): Row[] {
    const { name, badges } = this;
    const inside = this.inside.flatMap((each) => each.rows(depth + 1));
    const cut = this.outcome?.kind !== 'ok' && !this.isCleanup;
    const own = { name, depth, bars: this.#bars(), dots: [], badges, end: this.#end(), cut };
    return [own, ...inside];
  }

  #bars(): Bar[] {
    const { opened, closed } = this;
    if (this.isCleanup) return [{ from: opened, to: closed, kind: 'cleanup' }];
    const returned = Math.min(this.returned, closed);
    const left = Math.min(this.left, closed);
    const bars: Bar[] = [
      { from: opened, to: returned, kind: 'runs' },
      { from: returned, to: left, kind: this.inside.length > 0 ? 'inside' : 'waits' },
      { from: left, to: closed, kind: 'leaving' },
    ];
    return bars.filter(({ from, to }) => to > from);
  }

  #end(): string {
    const { kind, code } = this.outcome!;
    if (kind === 'error') return code;
    return kind === 'ok' ? '' : 'cancelled';
  }
}

export class Watch {
  readonly tool = new VirtualTool();
  readonly #around = local<Watched>('the watched step around');
  readonly #roots: Watched[] = [];
  readonly #moments: Moment[] = [];
  #numbers = 0;

  /** A step that has a row. Its body works for so many milliseconds, then does what `body` does. */
  step(name: string, work: number, body: (asi: IAsyncSteps) => unknown): Step<[], [any]> {
    return this.#watched(name, work, body, false);
  }

  /** A step that has a row, and waits for so many milliseconds. */
  waits(name: string, ms: number): Step<[], [any]> {
    return this.step(name, 0, (asi) => this.answers(asi, ms));
  }

  /** A cleanup that has a number, and takes so many milliseconds. */
  cleanup(name: string, ms: number): Step<[], [any]> {
    const body = (asi: IAsyncSteps) => {
      this.number(asi);
      this.answers(asi, ms);
    };
    return this.#watched(name, 0, body, true);
  }

  /** Somebody outside ends the step well after so many milliseconds. */
  answers(asi: IAsyncSteps, ms: number): void {
    const completion = asi.waitExternal();
    this.tool.deferred(ms, () => completion.success());
  }

  /** The next number, where the row of the innermost watched step around is. */
  number(asi: IAsyncSteps): void {
    const badge = { at: this.tool.now(), number: ++this.#numbers };
    this.#around.get(asi)!.badges.push(badge);
  }

  /** A deadline of a step, which is seen. */
  deadline(asi: IAsyncSteps, ms: number): void {
    asi.setTimeout(ms);
    this.#moments.push({ at: this.tool.now() + ms, words: 'deadline' });
  }

  /** Aborts what it's given to after so many milliseconds, which is seen. */
  abort(ms: number, words: string): AbortSignal {
    const controller = new AbortController();
    this.tool.deferred(ms, () => {
      this.#moments.push({ at: this.tool.now(), words });
      controller.abort();
    });
    return controller.signal;
  }

  /** Runs a step to the end of all that it does. */
  async panel(watched: Part<[]>, options: { title?: string; signal?: AbortSignal } = {}) {
    const { title, signal } = options;
    this.tool.start(watched, { signal, done: () => {} });
    await this.tool.run();
    const rows = this.#roots.flatMap((root) => root.rows());
    return { ...(title !== undefined && { title }), rows, moments: this.#moments };
  }

  #watched(
    name: string,
    work: number,
    body: (asi: IAsyncSteps) => unknown,
    isCleanup: boolean,
  ): Step<[], [any]> {
    return step((asi: IAsyncSteps) => {
      const { tool } = this;
      const watched = new Watched(name, tool.now(), isCleanup);
      (this.#around.get(asi)?.inside ?? this.#roots).push(watched);
      this.#around.set(asi, watched);
      asi.defer((_, outcome) => {
        watched.closed = tool.now();
        watched.outcome = outcome;
      });
      asi.signal.addEventListener('abort', () => (watched.left = tool.now()));
      tool.elapse(work);
      watched.returned = tool.now();
      return body(asi);
    });
  }
}
