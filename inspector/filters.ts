// What the page is asked to show: text, state, code, age, wait, guard, and the order.

import type { Frame, GuardShown, View } from '../js/src/imessages.js';
import { byId, make, setText } from './dom.js';
import { guardName } from './panels.js';
import { colorOf, count, duration, WAITS } from './words.js';

type Sort = View['sort'];
type Wanted = Omit<View, 'first' | 'rows' | 'open'>;

const TIMES = [100, 1000, 10_000, 60_000, 600_000];

/** The list's columns: what each is called, and which order it stands for. */
const COLUMNS: readonly (readonly [head: string, className: string, sort?: Sort])[] = [
  ['id', 'number', 'id'],
  ['flow', '', 'name'],
  ['waits for', ''],
  ['since', 'number', 'since'],
  ['where', ''],
  ['age', 'number', 'age'],
  ['deadline', 'number', 'deadline'],
  ['lines', 'number', 'lines'],
];
/** Of these the most comes first. */
const MOST_FIRST: readonly (Sort | undefined)[] = ['since', 'age', 'lines'];

export class Filters {
  readonly text = byId<HTMLInputElement>('text');
  readonly #changed: () => void;
  readonly #state = byId<HTMLSelectElement>('of-state');
  readonly #since = byId<HTMLSelectElement>('of-since');
  readonly #age = byId<HTMLSelectElement>('of-age');
  readonly #code = byId<HTMLSelectElement>('of-code');
  readonly #guardButton = byId<HTMLButtonElement>('of-guard');
  readonly #found = byId('found');
  readonly #clear = byId('clear');
  readonly #waitButtons = new Map<string, HTMLButtonElement>();
  #guard: GuardShown | undefined;
  #waits: string | undefined;
  #sort: Sort = 'since';
  #reverse = false;

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#fill();
    this.#columns();
    for (const select of this.#selects) select.addEventListener('change', changed);
    this.text.addEventListener('input', changed);
    byId('filters').addEventListener('submit', (event) => event.preventDefault());
    this.#clear.addEventListener('click', () => this.clear());
    this.#guardButton.addEventListener('click', () => this.choose(undefined));
  }

  get #selects(): readonly HTMLSelectElement[] {
    return [this.#state, this.#since, this.#age, this.#code];
  }

  #fill(): void {
    this.#state.add(new Option('any', ''));
    for (const state of ['running', 'cancelling']) this.#state.add(new Option(state));
    for (const select of [this.#since, this.#age]) {
      select.add(new Option('any', ''));
      for (const ms of TIMES)
        select.add(new Option(`≥ ${duration(ms).replace('.0', '')}`, `${ms}`));
    }
    this.#code.add(new Option('any', ''));
    const waits = byId('waits');
    for (const wait of WAITS.keys()) {
      const button = make('button');
      button.type = 'button';
      button.style.setProperty('--of', colorOf(wait));
      button.setAttribute('aria-pressed', 'false');
      button.append(make('b'), ` ${wait}`);
      button.addEventListener('click', () => {
        this.#waits = this.#waits === wait ? undefined : wait;
        this.#press();
        this.#changed();
      });
      this.#waitButtons.set(wait, button);
      waits.append(button);
    }
  }

  #press(): void {
    for (const [wait, button] of this.#waitButtons)
      button.setAttribute('aria-pressed', `${wait === this.#waits}`);
  }

  #columns(): void {
    const cells = COLUMNS.map(([head, className, sort]) => {
      const cell = make('div', className);
      if (sort === undefined) {
        cell.append(make('span', 'quiet', head));
        return { cell, sort };
      }
      const button = make('button', '', head);
      button.type = 'button';
      cell.append(button);
      button.addEventListener('click', () => {
        this.#reverse = this.#sort === sort && !this.#reverse;
        this.#sort = sort;
        mark();
        this.#changed();
      });
      return { cell, sort };
    });
    const mark = () => {
      for (const { cell, sort } of cells) {
        const isUp = this.#reverse === MOST_FIRST.includes(sort);
        if (sort === undefined || sort !== this.#sort) cell.removeAttribute('aria-sort');
        else cell.setAttribute('aria-sort', isUp ? 'ascending' : 'descending');
      }
    };
    mark();
    byId('sorts').append(...cells.map(({ cell }) => cell));
  }

  get isAny(): boolean {
    return !this.text.value && !this.#waits && !this.#guard && this.#selects.every((s) => !s.value);
  }

  clear(): void {
    for (const select of this.#selects) select.value = '';
    this.text.value = '';
    this.#waits = undefined;
    this.#press();
    this.choose(undefined);
  }

  /** Only flows that have to do with that guard; undefined: with any. */
  choose(guard: GuardShown | undefined): void {
    this.#guard = guard;
    this.#guardButton.hidden = guard === undefined;
    setText(this.#guardButton, guard === undefined ? '' : `${guardName(guard)} ×`);
    this.#changed();
  }

  chooseCode(code: string): void {
    this.#addCode(code);
    this.#code.value = code;
    this.#changed();
  }

  #addCode(code: string): void {
    if (![...this.#code.options].some(({ value }) => value === code))
      this.#code.add(new Option(code));
  }

  wanted(): Wanted {
    const wanted: Wanted = { sort: this.#sort };
    if (this.#reverse) wanted.reverse = true;
    if (this.text.value !== '') wanted.text = this.text.value;
    if (this.#state.value !== '') wanted.state = this.#state.value as 'running';
    if (this.#waits !== undefined) wanted.waits = this.#waits as 'guard';
    if (this.#code.value !== '') wanted.code = this.#code.value;
    if (this.#guard !== undefined) wanted.guard = this.#guard.id;
    if (this.#since.value !== '') wanted.since = Number(this.#since.value);
    if (this.#age.value !== '') wanted.age = Number(this.#age.value);
    return wanted;
  }

  show({ found, totals, waits, codes }: Frame): void {
    const unseen = waits['unseen'] ?? 0;
    this.#clear.hidden = this.isAny;
    const all = count(totals.running);
    setText(
      this.#found,
      unseen > 0 ? `looking: ${count(unseen)} left` : `${count(found)} of ${all}`,
    );
    for (const [wait, button] of this.#waitButtons)
      setText(button.firstElementChild!, count(waits[wait] ?? 0));
    for (const { code } of codes) this.#addCode(code);
  }
}
