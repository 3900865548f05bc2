// Beside the program: the tree of each moment, the last one or one before, and what was printed by then.

import { h } from '../dom.js';
import type { Moment } from '../player/record.js';
import { treeOf } from '../player/tree.js';
import type { Told } from './moments.js';

const of = <T extends HTMLElement>(id: string) => document.querySelector<T>(`#${id}`)!;

/** The oldest are forgotten. */
const mostMoments = 4_000;

export class Panel {
  readonly #moments: Moment[] = [];
  readonly #range = of<HTMLInputElement>('moment');
  readonly #live = of<HTMLButtonElement>('live');
  readonly #place = of('place');
  readonly #what = of('what');
  readonly #flows = of('flows');
  readonly #output = of('output');
  #follows = true;

  constructor() {
    this.#range.addEventListener('input', () => {
      this.#follow(false);
      this.#show(Number(this.#range.value));
    });
    this.#live.addEventListener('click', () => {
      this.#follow(true);
      this.#show(this.#moments.length - 1);
    });
  }

  clear(): void {
    this.#moments.length = 0;
    this.#output.replaceChildren();
    this.#flows.replaceChildren();
    this.#what.textContent = this.#place.textContent = '';
    this.#range.disabled = true;
    this.#follow(true);
  }

  tell(told: readonly Told[]): void {
    for (const each of told) {
      if ('moment' in each) this.#moments.push(each.moment);
      else this.#output.append(h('li', { className: each.isError ? 'bad' : '' }, each.line));
    }
    this.#moments.splice(0, this.#moments.length - mostMoments);
    const last = this.#moments.length - 1;
    if (last < 0) return;
    this.#range.disabled = false;
    this.#range.max = String(last);
    if (this.#follows) this.#show(last);
  }

  #follow(does: boolean): void {
    this.#follows = does;
    this.#live.setAttribute('aria-pressed', String(does));
  }

  #show(at: number): void {
    const moment = this.#moments[at];
    if (moment === undefined) return;
    this.#range.value = String(at);
    const place = `${at + 1} of ${this.#moments.length}, at ${Math.round(moment.time)} ms`;
    this.#place.textContent = place;
    this.#range.setAttribute('aria-valuetext', place);
    this.#what.textContent = moment.what;
    this.#flows.replaceChildren(treeOf(moment.flows, moment.guards));
    for (const [i, line] of [...this.#output.children].entries())
      line.classList.toggle('yet', !this.#follows && i >= moment.traced);
  }
}
