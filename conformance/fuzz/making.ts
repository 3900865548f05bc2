/** One program in the making: its chances, its names, and how much it may still grow. */
import { Chance, type Numbers, type Weighted } from './chance.js';

export type Action = string | { readonly [key: string]: unknown };

/**
 * Whose accessor the actions of a place have, if any; 'outside' there is none. At the root of a flow there are
 * only forms, and nobody who could be told that an argument is bad.
 */
export type Place = 'root' | 'body' | 'handler' | 'cancel handler' | 'lock' | 'unlock' | 'outside';

/** What is known of the place that is filled. */
export interface Scope {
  readonly place: Place;
  readonly depth: number;
  /** Inside of a loop, or of something else that may run more than once. */
  readonly repeated: boolean;
  /** The loops around it have these labels; '' for one without. */
  readonly labels: readonly string[];
  /** Accessors of enclosing bodies that have been kept. */
  readonly kept: string[];
}

/** One action, or a few that belong together; none where it isn't possible. */
export type Make = (making: Making, scope: Scope) => Action[];
export type Makes = { readonly [name: string]: Make };

/** What may be chosen. */
export interface Grammar {
  readonly actions: { readonly [place in Place]: Weighted<Make> };
  /** What a body leaves behind. */
  readonly ends: Weighted<Make>;
  readonly handlerEnds: Weighted<Make>;
  readonly isForm: (action: Action) => boolean;
  readonly branches: Weighted<Make>;
}

const deepest = 7;

export class Making {
  readonly chance: Chance;
  readonly flows: string[] = [];
  readonly guards: string[] = [];
  /** Those of them that are gates; and what is no guard. */
  readonly gates: string[] = [];
  readonly barriers: string[] = [];
  /** Those whose locks can be lost. */
  readonly leased: string[] = [];
  /** Those of the runtime. */
  readonly ownGuards: string[] = [];
  /** Those of them that are a mutex for two. */
  readonly mutexes: string[] = [];
  /** Those that have a guard for each key. */
  readonly keyeds: string[] = [];
  /** Those of the runtime. */
  readonly channels: string[] = [];
  readonly budgets: string[] = [];
  readonly #grammar: Grammar;
  /** Actions that may still be made. */
  #room: number;
  #ids = 0;

  constructor(grammar: Grammar, numbers: Numbers, room: number) {
    this.#grammar = grammar;
    this.chance = new Chance(numbers);
    this.#room = room;
  }

  /** a to z, then a1 to z1: every id is used once, so that a line of a trace names its step. */
  id(): string {
    const number = this.#ids++;
    const letter = String.fromCharCode('a'.charCodeAt(0) + (number % 26));
    return number < 26 ? letter : `${letter}${Math.floor(number / 26)}`;
  }

  /** A name that nothing else has. */
  fresh(kind: string): string {
    return `${kind}-${this.#ids++}`;
  }

  completion(): string {
    return `c${this.chance.int(1, 4)}`;
  }

  promise(): string {
    return this.chance.pick(['P', 'Q', 'R']);
  }

  /** Forms for the level of a root. */
  level(scope: Scope, most: number): Action[] {
    const list = this.#list(most, 1, scope, this.#grammar.actions.root);
    return list.length > 0 ? list : [this.#leaf(scope)];
  }

  /** A form that may stand in a branch. */
  value(scope: Scope): Action | undefined {
    return this.#list(1, 1, scope, this.#grammar.branches)[0];
  }

  branches(scope: Scope): Action[] {
    return this.#list(3, this.chance.int(0, 2), scope, this.#grammar.branches);
  }

  actions(scope: Scope, most: number): Action[] {
    const table = this.#grammar.actions[scope.place];
    return this.#list(most, 0, { ...scope, kept: [...scope.kept] }, table);
  }

  /** A body says at its end what it leaves behind; with steps that is mostly nothing, for an end would drop them. */
  body(scope: Scope): Action[] {
    const { chance } = this;
    const isHandler = scope.place === 'handler';
    const actions = this.actions(scope, isHandler ? 2 : scope.depth < 3 ? 4 : 3);
    const hasForms = actions.some(this.#grammar.isForm);
    if (chance.percent(hasForms ? 2 : 8)) {
      return [...actions, { return: isHandler ? 'never' : this.promise() }];
    }
    if (chance.percent(hasForms ? 1 : 12)) {
      return [...actions, { returnValue: chance.pick([null, true, 0, 7, 'r', [1, 2]]) }];
    }
    if (chance.percent(5)) {
      const returned = this.value(scope);
      if (returned !== undefined) return [...actions, { returnStep: returned }];
    }
    if (!chance.percent(hasForms ? 4 : isHandler ? 80 : 50)) return actions;
    const ends = isHandler ? this.#grammar.handlerEnds : this.#grammar.ends;
    return [...actions, ...chance.weighted(ends)(this, scope)];
  }

  #list(most: number, least: number, scope: Scope, table: Weighted<Make>): Action[] {
    const list: Action[] = [];
    for (let left = this.chance.int(least, most); left > 0 && this.#room > 0; left--) {
      this.#room--;
      if (scope.depth > deepest) list.push(this.#leaf(scope));
      else list.push(...this.chance.weighted(table)(this, scope));
    }
    return list;
  }

  /** Something that takes its time, mostly: what is over at once meets nobody. */
  #leaf({ place }: Scope): Action {
    const { chance } = this;
    if (place === 'outside') return { log: this.id() };
    return chance.weighted<() => Action>([
      [2, () => ({ step: this.id() })],
      [2, () => ({ delay: chance.int(0, 8) })],
      [2, () => ({ step: this.id(), do: [{ setTimeout: chance.int(0, 8) }, { setCancel: [] }] })],
      [2, () => ({ step: this.id(), do: [{ waitExternal: this.completion() }] })],
    ])();
  }
}

export function inside(scope: Scope, place: Place, more: Partial<Scope> = {}): Scope {
  return { ...scope, depth: scope.depth + 1, place, ...more };
}
