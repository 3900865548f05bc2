// The expanded flow: its lines, each inside of the one around it, and what each waits for.

import type { Frame, GuardShown, Opened, Row, TreeLine } from '../js/src/imessages.js';
import type { WaitSnapshot } from '../js/src/isnapshot.js';
import { byId, make, setChildren, setText } from './dom.js';
import { ageClass, colorOf, count, duration, waitWords } from './words.js';

export interface DetailEvents {
  close(): void;
  cancel(row: Row): void;
  open(run: number): void;
}

export class Detail {
  readonly #element = byId('detail');
  readonly #title = make('b');
  readonly #facts = make('span');
  readonly #tree = make('div');
  readonly #cancel = make('button', '', 'Cancel the flow');
  /** As it was when it was seen last. */
  #row: Row | undefined;
  #shown = '';

  constructor(events: DetailEvents) {
    const head = make('header');
    const close = make('button', '', 'Close');
    for (const button of [this.#cancel, close]) button.type = 'button';
    this.#tree.id = 'tree';
    this.#tree.tabIndex = 0;
    this.#tree.setAttribute('role', 'group');
    this.#tree.setAttribute('aria-label', 'Its lines');
    this.#tree.addEventListener('click', ({ target }) => {
      const run = (target as HTMLElement).closest<HTMLElement>('button')?.dataset['run'];
      if (run !== undefined) events.open(Number(run));
    });
    close.addEventListener('click', () => events.close());
    this.#cancel.addEventListener('click', () => {
      if (this.#row !== undefined) events.cancel(this.#row);
    });
    head.append(this.#title, this.#facts, this.#cancel, close);
    this.#element.append(head, this.#tree);
  }

  get row(): Row | undefined {
    return this.#row;
  }

  open(row: Row | undefined): void {
    this.#row = row;
    this.#shown = '';
    this.#tree.replaceChildren();
    this.#element.hidden = false;
  }

  close(): void {
    this.#element.hidden = true;
    this.#row = undefined;
  }

  show({ open, guards }: Frame, mayCancel: boolean): void {
    if (open === undefined || this.#element.hidden) return;
    const { run, lines, more = 0, ended } = open;
    this.#row = open.row ?? (this.#row?.run === run ? this.#row : undefined);
    this.#cancel.hidden = !mayCancel || open.row === undefined;
    this.#head(open);
    if (lines === undefined) {
      if (ended === undefined) this.#tree.replaceChildren(make('p', 'quiet', 'It has ended.'));
      return;
    }
    const text = JSON.stringify([lines, more, guards]);
    if (text === this.#shown) return;
    this.#shown = text;
    const known = new Map(guards.map((guard) => [guard.id, guard]));
    const shown = lines.map((line) => this.#line(line, known));
    if (more > 0) shown.push(make('div', 'quiet', `and ${count(more)} more lines`));
    setChildren(this.#tree, shown);
  }

  #head({ ended, gone, lines }: Opened): void {
    const row = this.#row;
    const name = row?.name && ` "${row.name}"`;
    setText(this.#title, row === undefined ? 'flow' : `flow ${row.id}${name}`);
    const facts: string[] = [];
    if (ended !== undefined) {
      const how = ended.code === undefined ? ended.outcome : `${ended.outcome} ${ended.code}`;
      facts.push(`ended ${duration(ended.ago)} ago: ${how}`);
    } else if (gone) facts.push('ended');
    else if (row !== undefined) {
      facts.push(row.state, `age ${row.older ? '≥ ' : ''}${duration(row.age)}`);
      if (row.deadline !== undefined) facts.push(`deadline in ${duration(row.deadline)}`);
      if (row.signal) facts.push('with a signal');
      if (row.code !== undefined) facts.push(`has handled ${row.code}`);
      if (lines !== undefined && lines.length > 1) facts.push(`${count(row.lines)} lines`);
    }
    setText(this.#facts, facts.join(' · '));
  }

  #line({ depth, steps, waits }: TreeLine, guards: ReadonlyMap<number, GuardShown>): HTMLElement {
    const line = make('div');
    line.style.setProperty('--depth', `${depth}`);
    line.append(make('code', '', steps.map(({ element }) => element).join('/')));
    const last = steps.at(-1);
    if (last !== undefined) {
      const limit = steps
        .map(({ timeout }) => timeout ?? Infinity)
        .reduce((a, b) => Math.min(a, b));
      const text = limit === Infinity ? last.kind : `${last.kind}, limit in ${duration(limit)}`;
      line.append(make('span', 'quiet', text));
    }
    if (waits !== undefined) line.append(...this.#wait(waits, guards));
    return line;
  }

  #wait(waits: WaitSnapshot, guards: ReadonlyMap<number, GuardShown>): HTMLElement[] {
    const wait = make('span', 'dot', waitWords(waits));
    wait.style.setProperty('--of', colorOf(waits.for));
    const shown: HTMLElement[] = [wait];
    if (waits.since !== undefined)
      shown.push(make('span', ageClass(waits.since), `since ${duration(waits.since)}`));
    const { holders = [], held = 0 } = guards.get(waits.guard!) ?? {};
    for (const holder of holders) {
      const held = make('span', 'quiet', 'held by ');
      const name = holder.name && ` "${holder.name}"`;
      const button = make('button', '', `flow ${holder.flow}${name}`);
      button.type = 'button';
      button.dataset['run'] = `${holder.run}`;
      held.append(button, ' at ', make('code', '', holder.path));
      shown.push(held);
    }
    const others = held - holders.length;
    if (others > 0)
      shown.push(make('span', 'quiet', `and ${others} other${others > 1 ? 's' : ''}`));
    return shown;
  }
}
