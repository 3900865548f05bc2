// Paths of steps that are known by their numbers: each step's element, and the number of the step around. A long one has no middle, so all
// of them take time and memory by how many they are, however deep.

import { PATH_ENDS, shortName } from './recordtext.js';

/** A step. */
export interface Place {
  readonly element: string;
  /** The call that makes it. */
  readonly kind: string;
  /** The number of the step around; 0: none. */
  readonly parent: number;
}

interface Way {
  readonly element: string;
  readonly around: Way | null;
  readonly length: number;
  /** Its first elements. */
  readonly head: string;
}

export class Ways {
  private readonly places: ReadonlyMap<number, Place>;
  private readonly open: ReadonlyMap<number, Place>;
  private readonly known = new Map<number, Way>();

  /** `places` are of those that have closed, their elements are short. */
  constructor(places: ReadonlyMap<number, Place>, open: ReadonlyMap<number, Place>) {
    this.places = places;
    this.open = open;
  }

  place(number: number): Place {
    const closed = this.places.get(number);
    if (closed !== undefined) return closed;
    const { element, kind, parent } = this.open.get(number)!;
    return { element: shortName(element), kind, parent };
  }

  /** From the root to the step of that number; 0: `''`. */
  path(number: number): string {
    const way = this.way(number);
    if (way === null) return '';
    const isLong = way.length > 2 * PATH_ENDS;
    const elements: string[] = [];
    const left = isLong ? PATH_ENDS : way.length;
    for (let at: Way = way; elements.push(at.element) < left; at = at.around!);
    if (isLong) elements.push('…', way.head);
    return elements.reverse().join('/');
  }

  private way(number: number): Way | null {
    const { known } = this;
    const unknown: [number, Place][] = [];
    let at = number;
    while (at !== 0 && !known.has(at)) {
      const place = this.place(at);
      unknown.push([at, place]);
      at = place.parent;
    }
    let way = known.get(at) ?? null;
    for (let next = unknown.pop(); next !== undefined; next = unknown.pop()) {
      way = within(way, next[1].element);
      known.set(next[0], way);
    }
    return way;
  }
}

function within(around: Way | null, element: string): Way {
  if (around === null) return { element, around, length: 1, head: element };
  const { length, head } = around;
  return {
    element,
    around,
    length: length + 1,
    head: length < PATH_ENDS ? `${head}/${element}` : head,
  };
}
