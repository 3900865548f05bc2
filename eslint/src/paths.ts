// The ways that control may take through a function, as a graph of what happens on them. Two things that happen are on one path for
// certain if the first stands on every way to the second, or the second on every way from the first: else both may hang on conditions
// that are never true together.

import type { Rule } from 'eslint';
import type { Node } from './syntax.js';

/** A place on a way: something that happens, or a fork. */
interface Place {
  readonly node: Node | null;
  readonly next: Place[];
  /** The function ends here, by returning or by throwing. */
  readonly ends?: 'returns' | 'throws';
}

export class Paths {
  private readonly start: Place;
  /** What stands in a `finally` has several: for each way there. */
  private readonly places = new Map<Node, Place[]>();
  /** Where the function returns. */
  private readonly ends: Place[] = [];

  constructor(path: Rule.CodePath, happened: Happened) {
    const entries = new Map<string, Place>();
    const open = [path.initialSegment];
    const entryOf = (segment: Rule.CodePathSegment): Place => {
      const known = entries.get(segment.id);
      if (known) return known;
      const entry: Place = { node: null, next: [] };
      entries.set(segment.id, entry);
      open.push(segment);
      return entry;
    };
    this.start = entryOf(open.pop()!);
    for (let segment = open.pop(); segment; segment = open.pop()) {
      const last = this.lay(entryOf(segment), happened.get(segment.id) ?? []);
      last.next.push(...segment.nextSegments.map(entryOf));
      if (path.returnedSegments.includes(segment)) this.end(last, 'returns');
      if (path.thrownSegments.includes(segment)) this.end(last, 'throws');
    }
  }

  /** Puts what happens one after the other. Returns the last of it. */
  private lay(entry: Place, nodes: readonly Node[]): Place {
    let last = entry;
    for (const node of nodes) {
      const place: Place = { node, next: [] };
      this.places.set(node, [...(this.places.get(node) ?? []), place]);
      last.next.push(place);
      last = place;
    }
    return last;
  }

  private end(last: Place, ends: 'returns' | 'throws'): void {
    const place: Place = { node: null, next: [], ends };
    last.next.push(place);
    if (ends === 'returns') this.ends.push(place);
  }

  /** Whether both happen on a way that returns, none of `excluded` happens there, and that is no matter of conditions. */
  areCertain(first: Node, second: Node, excluded: readonly Node[]): boolean {
    const [one, other, out] = [first, second, excluded].map((of) => this.of(of)) as [
      Places,
      Places,
      Places,
    ];
    const all = new Set([this.start]);
    if (!meets(reach(all, out), one) || !meets(reach(one, out), other)) return false;
    if (!meets(reach(other, out), new Set(this.ends))) return false;
    if (!meets(reach(all, new Set([...out, ...one])), other)) return true;
    const later = reach(one, new Set([...other, ...out]));
    const isLeft = ({ ends, next }: Place) => ends || next.some((place) => out.has(place));
    return ![...one, ...later].some(isLeft);
  }

  /** Whether there is a way from the one to the other. */
  leadsTo(one: Node, other: Node): boolean {
    return meets(reach(this.of(one), new Set()), this.of(other));
  }

  /** The first of these after which the function returns for certain, with none of `others` on any way to there. */
  lastOf(these: readonly Node[], others: readonly Node[]): Node | undefined {
    const [start, none] = [new Set([this.start]), new Set<Place>()];
    const ended = reach(this.of(others), none);
    for (const end of this.ends.filter((place) => !ended.has(place))) {
      const isCertain = (node: Node): boolean => {
        const places = this.of(node);
        if (!reach(places, none).has(end)) return false;
        if (!reach(start, places).has(end)) return true;
        return ![...reach(places, new Set([end]))].some(({ ends }) => ends);
      };
      const found = these.find(isCertain);
      if (found) return found;
    }
    return undefined;
  }

  private of(nodes: Node | readonly Node[]): Places {
    const list = Array.isArray(nodes) ? nodes : [nodes];
    return new Set(list.flatMap((node: Node) => this.places.get(node) ?? []));
  }
}

type Places = Set<Place>;

const meets = (some: Places, others: Places): boolean =>
  [...others].some((place) => some.has(place));

/** The places that are reached from some, from one of these themselves only by a loop, without passing any of `out`. */
function reach(from: ReadonlySet<Place>, out: ReadonlySet<Place>): Places {
  const found = new Set<Place>();
  const open = [...from].flatMap(({ next }) => next);
  for (let place = open.pop(); place; place = open.pop()) {
    if (found.has(place) || out.has(place)) continue;
    found.add(place);
    open.push(...place.next);
  }
  return found;
}

/** What happens on the segments of a path. */
type Happened = ReadonlyMap<string, readonly Node[]>;

interface Frame {
  readonly path: Rule.CodePath;
  readonly current: Set<Rule.CodePathSegment>;
  readonly happened: Map<string, Node[]>;
}

/** Calls `tell` at the end of each function, and of the file, with the calls and returns that are on its ways. */
export function onPaths(
  tell: (node: Node, happened: readonly Node[], paths: () => Paths) => void,
): Rule.RuleListener {
  const frames: Frame[] = [];
  const note = (node: unknown): void => {
    const { current, happened } = frames.at(-1)!;
    for (const { id } of current) {
      const list = happened.get(id) ?? [];
      list.push(node as Node);
      happened.set(id, list);
    }
  };
  const listener = {
    onCodePathStart(path: Rule.CodePath) {
      frames.push({ path, current: new Set(), happened: new Map() });
    },
    onCodePathEnd(_path: Rule.CodePath, node: unknown) {
      const { path, happened } = frames.pop()!;
      const all = [...new Set([...happened.values()].flat())];
      tell(node as Node, all, () => new Paths(path, happened));
    },
    onCodePathSegmentStart(segment: Rule.CodePathSegment) {
      frames.at(-1)!.current.add(segment);
    },
    onCodePathSegmentEnd(segment: Rule.CodePathSegment) {
      frames.at(-1)!.current.delete(segment);
    },
    'CallExpression:exit': note,
    'ReturnStatement:exit': note,
  };
  return listener as unknown as Rule.RuleListener;
}
