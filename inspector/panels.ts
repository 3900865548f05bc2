// What stands beside the flows: guards, slow steps, errors, stalls.

import type { Frame, GuardShown } from '../js/src/imessages.js';
import { byId, make, rowsOf, setClass, setText } from './dom.js';
import { ageClass, count, duration, waitWords } from './words.js';

export interface Choices {
  guard(guard: GuardShown): void;
  code(code: string): void;
  /** That run. */
  open(run: number): void;
}

interface Column<T> {
  readonly head: string;
  readonly className?: string;
  text(of: T): string;
  title?(of: T): string;
  classOf?(of: T): string;
  /** A button does it. */
  choose?(of: T): void;
}

class Panel<T> {
  readonly #columns: readonly Column<T>[];
  readonly #body: HTMLTableSectionElement;
  #rows: readonly T[] = [];

  constructor(id: string, columns: readonly Column<T>[]) {
    this.#columns = columns;
    const table = byId<HTMLTableElement>(id);
    const head = table.createTHead().insertRow();
    for (const { head: text, className } of columns) {
      const cell = make('th', className, text);
      cell.scope = 'col';
      head.append(cell);
    }
    this.#body = table.createTBody();
    this.#body.addEventListener('click', ({ target }) => this.#choose(target as HTMLElement));
  }

  show(rows: readonly T[]): void {
    this.#rows = rows;
    const columns = this.#columns;
    rowsOf(
      this.#body,
      rows.length,
      columns.map(({ className = '' }) => className),
    );
    for (const [i, row] of rows.entries()) {
      const { cells } = this.#body.rows[i]!;
      for (const [j, { text, title, className = '', classOf, choose }] of columns.entries()) {
        const cell = cells[j]!;
        if (choose !== undefined && cell.firstElementChild === null) {
          const button = make('button');
          button.type = 'button';
          cell.append(button);
        }
        const words = text(row);
        setText(choose === undefined ? cell : cell.firstElementChild!, words);
        const tip = title?.(row) ?? words;
        if (cell.title !== tip) cell.title = tip;
        if (classOf !== undefined) setClass(cell, `${className} ${classOf(row)}`);
      }
    }
  }

  #choose(target: HTMLElement): void {
    const cell = target.closest('button')?.closest('td');
    if (!cell) return;
    const row = this.#rows[(cell.parentElement as HTMLTableRowElement).sectionRowIndex];
    if (row !== undefined) this.#columns[cell.cellIndex]!.choose?.(row);
  }
}

const number = 'number';

export function guardName({ kind, name, id }: GuardShown): string {
  return name === '' ? `${kind} ${id}` : `${kind} "${name}"`;
}

function holderOf({ holders: [first], held }: GuardShown): string {
  if (first === undefined) return '';
  return `flow ${first.flow}${held > 1 ? ` +${held - 1}` : ''}`;
}

function holdersOf({ holders, held }: GuardShown): string {
  if (held === 0) return '';
  const [{ flow, name, path }] = holders as [GuardShown['holders'][number]];
  const others = held > 1 ? ` and ${held - 1} more` : '';
  return `flow ${flow}${name && ` "${name}"`} at ${path}${others}`;
}

export class Panels {
  readonly #guards;
  readonly #lasting;
  readonly #slow;
  readonly #codes;
  readonly #stalls;
  readonly #guardsInAll = byId('guards-in-all');

  constructor(choices: Choices) {
    this.#guards = new Panel<GuardShown>('guards', [
      { head: 'guard', text: guardName, choose: (guard) => choices.guard(guard) },
      {
        head: 'waiting',
        className: number,
        text: ({ waiting }) => count(waiting),
        classOf: ({ waiting }) => (waiting > 0 ? 'age1' : 'quiet'),
      },
      {
        head: 'in',
        className: number,
        text: ({ active }) => (active === undefined ? '' : count(active)),
      },
      {
        head: 'free',
        className: number,
        text: ({ available }) => (available === undefined ? '' : count(available)),
      },
      {
        head: 'held by',
        text: holderOf,
        title: holdersOf,
        choose: ({ holders: [first] }) => first && choices.open(first.run),
      },
    ]);
    this.#lasting = new Panel<Frame['lasting'][number]>('lasting', [
      {
        head: 'where',
        className: 'path',
        text: ({ flow, path }) => `${path}${flow && ` · ${flow}`}`,
        choose: ({ run }) => choices.open(run),
      },
      { head: 'for', text: ({ waits }) => waitWords(waits) },
      { head: 'flows', className: number, text: ({ count: flows }) => count(flows) },
      {
        head: 'longest',
        className: number,
        text: ({ ms }) => duration(ms),
        classOf: ({ ms }) => ageClass(ms),
      },
    ]);
    this.#slow = new Panel<Frame['slow'][number]>('slow', [
      {
        head: 'step',
        className: 'path',
        text: ({ flow, path }) => `${path}${flow && ` · ${flow}`}`,
        title: ({ flow, path, kind }) => `${flow && `${flow}: `}${path}, ${kind}`,
      },
      { head: 'times', className: number, text: ({ count: times }) => count(times) },
      { head: 'mean', className: number, text: ({ mean }) => duration(mean) },
      { head: 'longest', className: number, text: ({ max }) => duration(max) },
    ]);
    this.#codes = new Panel<Frame['codes'][number]>('codes', [
      { head: 'code', text: ({ code }) => code, choose: ({ code }) => choices.code(code) },
      { head: 'handled', className: number, text: ({ handled }) => count(handled) },
      { head: 'failed', className: number, text: ({ ended }) => count(ended) },
      { head: 'last', className: number, text: ({ ago }) => duration(ago) },
    ]);
    this.#stalls = new Panel<Frame['stalls'][number]>('stalls', [
      {
        head: 'flow',
        text: ({ flow, name, path }) => [`${flow}`, name, path].filter(Boolean).join(' '),
      },
      { head: 'held', className: number, text: ({ ms }) => duration(ms) },
      { head: 'ago', className: number, text: ({ ago }) => duration(ago) },
    ]);
  }

  show({ guards, guardsInAll, lasting, slow, codes, stalls }: Frame): void {
    this.#guards.show(guards);
    const hidden = guardsInAll > guards.length ? `${guards.length} of ${count(guardsInAll)}` : '';
    setText(this.#guardsInAll, hidden);
    this.#lasting.show(lasting);
    this.#slow.show(slow);
    this.#codes.show(codes);
    this.#stalls.show(stalls);
  }
}
