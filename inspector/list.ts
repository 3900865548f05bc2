// The list of flows: only the rows in view are in the page. The server sends some more than that, so that scrolling doesn't wait for it.

import type { Frame, Row } from '../js/src/imessages.js';
import { byId, make, setClass, setText } from './dom.js';
import { ageClass, colorOf, count, duration, waitWords } from './words.js';

const HEIGHT = 24;
/** What is asked for above and below. */
const AROUND = 40;
const MOST = 200;
/** Browsers know no longer elements. */
const TALLEST = 30_000_000;

export interface ListEvents {
  /** Other rows are in view. */
  moved(): void;
  /** It's to be expanded. */
  opened(row: Row): void;
}

/** A row's cells, and what makes each. */
const CELLS: readonly { className: string; set(cell: HTMLElement, row: Row): void }[] = [
  { className: 'number quiet', set: (cell, { id }) => setText(cell, `${id}`) },
  { className: '', set: (cell, { name }) => setText(cell, name) },
  { className: 'dot', set: setWait },
  { className: 'number', set: setSince },
  { className: 'path', set: setPath },
  { className: 'number', set: setAge },
  {
    className: 'number quiet',
    set: (cell, { deadline }) => setText(cell, deadline === undefined ? '' : duration(deadline)),
  },
  {
    className: 'number quiet',
    set: (cell, { lines }) => setText(cell, lines > 1 ? count(lines) : ''),
  },
];

function setWait(cell: HTMLElement, { waits, state }: Row): void {
  const words = waits === undefined ? '' : waitWords(waits);
  setText(cell, state === 'cancelling' ? `cancelling: ${words}` : words);
  cell.style.setProperty('--of', colorOf(waits?.for));
}

function setSince(cell: HTMLElement, { waits, older, age }: Row): void {
  const what = waits?.for;
  const isKnown = waits?.since !== undefined;
  const atLeast = !isKnown && older && what !== undefined && what !== 'turn' && what !== 'code';
  const since = waits?.since ?? (atLeast ? age : undefined);
  setText(cell, since === undefined ? '' : `${atLeast ? '≥ ' : ''}${duration(since)}`);
  setClass(cell, `number ${ageClass(since)}`);
}

function setPath(cell: HTMLElement, { path, kind, code }: Row): void {
  const [where, what, error] = cell.children.length > 0 ? [...cell.children] : partsOf(cell);
  setText(where!, path);
  setText(what!, kind === undefined ? '' : ` ${kind}`);
  setText(error!, code === undefined ? '' : ` ${code}`);
  if (cell.title !== path) cell.title = path;
}

function partsOf(cell: HTMLElement): HTMLElement[] {
  const parts = [make('span'), make('span', 'quiet'), make('span', 'code')];
  cell.append(...parts);
  return parts;
}

function setAge(cell: HTMLElement, { age, older }: Row): void {
  setText(cell, `${older ? '≥ ' : ''}${duration(age)}`);
}

export class List {
  readonly element = byId('list');
  readonly #space = byId('space');
  readonly #events: ListEvents;
  readonly #pool: HTMLElement[] = [];
  #found = 0;
  #first = 0;
  #rows: readonly Row[] = [];
  #open: number | undefined;
  /** The run that is chosen, and its place, which is where the next one is chosen from if it's gone. */
  #selected: { run: number; index: number } | undefined;
  /** Is chosen when its row is there, and what was asked for meanwhile is done with it. */
  #wanted: number | undefined;
  #then: ((row: Row) => void) | undefined;
  /** What is in view isn't what was asked for. */
  #isStale = false;

  constructor(events: ListEvents) {
    this.#events = events;
    const { element } = this;
    element.addEventListener('scroll', () => {
      this.#draw();
      events.moved();
    });
    new ResizeObserver(() => {
      const bar = element.offsetWidth - element.clientWidth;
      document.documentElement.style.setProperty('--bar', `${bar}px`);
      this.#draw();
      events.moved();
    }).observe(element);
    element.addEventListener('mousedown', ({ target }) => this.#click(target as HTMLElement));
    element.addEventListener('dblclick', () => this.act((row) => this.#events.opened(row)));
    element.addEventListener('keydown', (event) => this.#key(event));
  }

  /** What the server is asked for. */
  wanted(): { first: number; rows: number } {
    const first = Math.max(0, this.#top() - AROUND);
    return { first, rows: Math.min(MOST, this.#visible() + 2 * AROUND) };
  }

  show({ found, first, rows }: Frame, open: number | undefined): void {
    const isOther = found !== this.#found;
    this.#found = found;
    this.#first = first;
    this.#rows = rows;
    this.#open = open;
    this.#isStale = false;
    if (isOther) {
      this.#space.style.height = `${Math.min(found * HEIGHT, TALLEST)}px`;
      this.element.setAttribute('aria-rowcount', `${found}`);
    }
    this.#follow();
    this.#draw();
  }

  /** Does something with the row that is chosen: now, or once it's there. False if none is chosen. */
  act(what: (row: Row) => void): boolean {
    const row = this.#isStale
      ? undefined
      : this.#rows.find(({ run }) => run === this.#selected?.run);
    if (row !== undefined) what(row);
    else if (this.#wanted !== undefined) this.#then = what;
    else return false;
    return true;
  }

  /** The rows are other ones now: it begins with the first of them. */
  reset(): void {
    this.element.scrollTop = 0;
    this.#selected = this.#wanted = this.#then = undefined;
    this.#isStale = true;
  }

  get #isEmpty(): boolean {
    return this.#found === 0;
  }

  #top(): number {
    return Math.floor(this.element.scrollTop / HEIGHT);
  }

  #visible(): number {
    return Math.ceil(this.element.clientHeight / HEIGHT) + 1;
  }

  #at(index: number): Row | undefined {
    return this.#rows[index - this.#first];
  }

  /** It may have another place now. */
  #follow(): void {
    if (this.#wanted !== undefined) {
      const index = Math.min(this.#wanted, this.#found - 1);
      const row = this.#at(index);
      if (row !== undefined) this.#choose(row, index);
      else if (index < 0) this.#wanted = this.#then = undefined;
    }
    const place = this.#rows.findIndex(({ run }) => run === this.#selected?.run);
    if (place >= 0) this.#selected!.index = this.#first + place;
  }

  #choose(row: Row, index: number): void {
    const { run } = row;
    this.#selected = { run, index };
    const then = this.#then;
    this.#wanted = this.#then = undefined;
    then?.(row);
  }

  #draw(): void {
    if (this.#isStale) return;
    const top = this.#top();
    const pool = this.#pool;
    const visible = Math.min(this.#visible(), Math.max(0, this.#found - top));
    while (pool.length < visible) this.#add();
    let active = '';
    for (const [i, element] of pool.entries()) {
      const index = top + i;
      const row = i < visible ? this.#at(index) : undefined;
      element.hidden = row === undefined;
      if (row === undefined) continue;
      const isSelected = row.run === this.#selected?.run;
      element.style.top = `${index * HEIGHT}px`;
      element.dataset['run'] = `${row.run}`;
      element.setAttribute('aria-rowindex', `${index + 1}`);
      element.setAttribute('aria-selected', `${isSelected}`);
      element.setAttribute('aria-expanded', `${row.run === this.#open}`);
      if (isSelected) active = element.id;
      for (const [j, { set }] of CELLS.entries()) set(element.children[j] as HTMLElement, row);
    }
    this.element.setAttribute('aria-activedescendant', active);
  }

  #add(): void {
    const row = make('div', 'row');
    row.id = `row${this.#pool.length}`;
    row.setAttribute('role', 'row');
    for (const { className } of CELLS) {
      const cell = make('div', className);
      cell.setAttribute('role', 'gridcell');
      row.append(cell);
    }
    this.#pool.push(row);
    this.#space.append(row);
  }

  #click(target: HTMLElement): void {
    const element = target.closest<HTMLElement>('.row');
    const run = Number(element?.dataset['run']);
    const place = this.#rows.findIndex((row) => row.run === run);
    if (place >= 0) this.select(this.#first + place);
  }

  #key(event: KeyboardEvent): void {
    const page = Math.max(1, this.#visible() - 2);
    const at = this.#wanted ?? this.#selected?.index ?? -1;
    const to: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: Math.max(0, at - 1),
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: this.#found - 1,
    };
    if (event.key === 'Enter') this.act((row) => this.#events.opened(row));
    else if (!(event.key in to)) return;
    else if (!this.#isEmpty) this.select(to[event.key]!);
    event.preventDefault();
  }

  select(to: number): void {
    const index = Math.max(0, Math.min(to, this.#found - 1));
    this.#then = undefined;
    const row = this.#isStale ? undefined : this.#at(index);
    if (row === undefined) this.#wanted = index;
    else this.#choose(row, index);
    const { element } = this;
    const above = index * HEIGHT;
    const below = above + HEIGHT - element.clientHeight;
    if (element.scrollTop > above) element.scrollTop = above;
    else if (element.scrollTop < below) element.scrollTop = below;
    this.#draw();
    this.#events.moved();
  }
}
