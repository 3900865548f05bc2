// How long closed steps have taken, by where they stand: rounds, attempts and items of one step count as one.

import { cut, cutFront } from './cut.js';
import type { Slow } from './imessages.js';
import type { Known } from './lane.js';

/** So many places are told apart. */
const MOST = 2000;
const SHOWN = 20;

/** In the program: a step, or a kind of flows. */
export class Place {
  readonly flow: string;
  readonly path: string;
  readonly kind: string;
  count = 0;
  total = 0;
  max = 0;
  /** By kind and element; none: nothing more is told apart. */
  readonly inside: Map<string, Place> | null = new Map();

  constructor(flow: string, path: string, kind: string, isLast = false) {
    this.flow = flow;
    this.path = path;
    this.kind = kind;
    if (isLast) this.inside = null;
  }

  took(ms: number): void {
    this.count++;
    this.total += ms;
    if (ms > this.max) this.max = ms;
  }
}

export class Slowest {
  readonly #flows = new Map<string, Place>();
  readonly #places: Place[] = [];
  /** Of all others. */
  readonly #others = new Place('', '…', '', true);

  /** Flows whose names differ in numbers only are of one kind. */
  flowOf(name: string): Place {
    const flow = cut(name).replace(/\d+/g, '*');
    return this.#flows.get(flow) ?? this.#add(this.#flows, flow, () => new Place(flow, '', ''));
  }

  /** Inside of another one. */
  placeOf(around: Place, { element, kind }: Known): Place {
    const { flow, path, inside } = around;
    if (inside === null) return around;
    const own = cut(patternOf(element), 60);
    const key = `${kind} ${own}`;
    const known = inside.get(key);
    if (known !== undefined) return known;
    const whole = cutFront(path === '' ? own : `${path}/${own}`);
    return this.#add(inside, key, () => new Place(flow, whole, kind));
  }

  #add(to: Map<string, Place>, key: string, make: () => Place): Place {
    if (this.#places.length === MOST) return this.#others;
    const place = make();
    to.set(key, place);
    this.#places.push(place);
    return place;
  }

  /** Those with the slowest step. */
  shown(): Slow[] {
    const all = [...this.#places, this.#others].filter(({ count }) => count > 0);
    all.sort((a, b) => b.max - a.max || b.total - a.total);
    return all.slice(0, SHOWN).map(({ flow, path, kind, count, total, max }) => {
      return { flow, path, kind, count, mean: tenths(total / count), max: tenths(max) };
    });
  }
}

/** A round, an attempt, an item or a branch, whatever its number is. */
export function patternOf(element: string): string {
  return element.replace(/^([#|])\d+$/, '$1*');
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
