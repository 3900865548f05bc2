// A case that one can go through: moment by moment, to and fro, in the order that one chooses.

import { button, h } from '../dom.js';
import { allWays, choiceAt, choicesAfter, orderWith } from './choices.js';
import { mark } from './mark.js';
import { type Case, type Recording, record } from './record.js';
import { treeOf } from './tree.js';

const mostOrders = 500;

export class Player {
  readonly #program: Case & { trace?: readonly string[] };
  /** Where the program stands in the page. */
  readonly #code: Element | undefined;
  #recording!: Recording;
  /** Which choices were made; undefined: none, it's first come, first served. */
  #order: readonly number[] | undefined;
  #at = 0;
  #shown = 0;
  #runs = 0;

  readonly #range = h('input', { type: 'range', min: '0', 'aria-label': 'Moment' });
  readonly #place = h('span', { className: 'place' });
  readonly #what = h('p', { className: 'what', role: 'status' });
  readonly #choices = h('div', { className: 'choices' });
  readonly #tree = h('div', { className: 'flows' });
  readonly #trace = h('ol', { className: 'trace' });
  readonly #verdict = h('p', { className: 'verdict' });
  readonly #ways = h('div', { className: 'ways' });
  readonly #choose = h('input', { type: 'checkbox' });
  readonly #back = button('Back', () => this.#go(this.#at - 1));
  readonly #next = button('Next', () => this.#go(this.#at + 1));
  readonly #first = button('First', () => this.#go(0));
  readonly #last = button('Last', () => this.#go(Infinity));

  readonly #all = button('All orders', () => void this.#showWays());

  constructor(program: Case, code: Element | undefined) {
    this.#program = program;
    this.#code = code;
  }

  async open(place: Element): Promise<void> {
    this.#range.addEventListener('input', () => this.#go(Number(this.#range.value)));
    this.#choose.addEventListener('change', () => {
      void this.#run(this.#choose.checked ? [] : undefined);
    });
    const steps = h('div', { className: 'steps' }, this.#first, this.#back, this.#next, this.#last);
    steps.append(this.#range, this.#place);
    const orders = h(
      'div',
      { className: 'orders' },
      h('label', {}, this.#choose, ' Choose what comes next'),
    );
    orders.append(this.#all, this.#ways);
    const columns = h('div', { className: 'sides' });
    columns.append(h('div', {}, h('p', { className: 'head' }, 'Tree'), this.#tree));
    columns.append(
      h('div', {}, h('p', { className: 'head' }, 'Trace'), this.#trace, this.#verdict),
    );
    await this.#run(undefined); // before anything can be pressed
    place.replaceChildren(
      h('div', { className: 'player' }, steps, this.#what, this.#choices, columns, orders),
    );
    this.#next.focus();
  }

  async #run(order: readonly number[] | undefined, at = 0): Promise<void> {
    const run = ++this.#runs;
    this.#choices.ariaBusy = 'true';
    const recording = await record(this.#program, order);
    if (run !== this.#runs) return; // another one was asked for meanwhile
    this.#recording = recording;
    this.#order = order;
    this.#choose.checked = order !== undefined;
    this.#showTrace();
    this.#range.max = String(this.#recording.moments.length - 1);
    this.#go(at);
  }

  #go(to: number): void {
    const { moments } = this.#recording;
    this.#at = Math.max(0, Math.min(to, moments.length - 1));
    const moment = moments[this.#at];
    if (moment === undefined) return;
    this.#range.value = String(this.#at);
    const place = `${this.#at + 1} of ${moments.length}, at ${moment.time} ms`;
    this.#range.setAttribute('aria-valuetext', place);
    this.#place.textContent = place;
    this.#what.textContent = moment.what;
    this.#first.disabled = this.#back.disabled = this.#at === 0;
    this.#last.disabled = this.#next.disabled = this.#at === moments.length - 1;
    this.#tree.replaceChildren(treeOf(moment.flows, moment.guards));
    for (const [i, item] of [...this.#trace.children].entries()) {
      item.classList.toggle('yet', i >= moment.traced);
      if (i === moment.traced - 1) item.setAttribute('aria-current', 'step');
      else item.removeAttribute('aria-current');
    }
    if (this.#code) mark(this.#code, this.#recording.trace[moment.traced - 1]);
    void this.#showChoices();
  }

  #showTrace(): void {
    const { trace, isCut } = this.#recording;
    this.#trace.replaceChildren(...trace.map((line) => h('li', {}, line)));
    const isExpected = JSON.stringify(trace) === JSON.stringify(this.#program.trace);
    const words = isExpected ? 'It leaves the trace that it has to.' : 'Another trace.';
    const cut = isCut ? ' Only the first moments are shown.' : '';
    this.#verdict.textContent = words + cut;
    this.#verdict.classList.toggle('other', !isExpected);
  }

  /** What is ready is found out by trying it: who has gone on by then sees nothing of that. */
  async #showChoices(): Promise<void> {
    const shown = ++this.#shown;
    const order = this.#order;
    this.#choices.replaceChildren();
    this.#choices.ariaBusy = String(order !== undefined);
    if (order === undefined) return;
    for (const at of choicesAfter(this.#recording, this.#at)) {
      const count = this.#recording.alternatives[at]!;
      const { words, taken } = await choiceAt(this.#program, order, at, count);
      if (shown !== this.#shown) return;
      const legend = h('legend', {}, `${count} are ready. Next comes`);
      const buttons = words.map((word, i) => {
        const each = button(word, () => void this.#run(orderWith(order, at, i), this.#at));
        each.setAttribute('aria-pressed', String(i === taken));
        return each;
      });
      this.#choices.append(h('fieldset', {}, legend, ...buttons));
    }
    this.#choices.ariaBusy = 'false';
  }

  async #showWays(): Promise<void> {
    this.#all.disabled = true;
    const { ways, isAll } = await allWays(this.#program, mostOrders);
    this.#all.disabled = false;
    const total = ways.reduce((sum, { count }) => sum + count, 0);
    const said = `${isAll ? 'All' : 'The first'} ${total} orders leave ${ways.length} different traces:`;
    const items = ways.map(({ order, trace, count }) => {
      const show = button('Play', () => void this.#run(order));
      return h('li', {}, show, ` ${count} of them: ${trace.join(', ')}`);
    });
    this.#ways.replaceChildren(h('p', { role: 'status' }, said), h('ul', {}, ...items));
  }
}
