/** Small mistakes: one line of code becomes another one. */
import { createHash } from 'node:crypto';

export interface Mutation {
  readonly file: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

/** What is found is replaced at each place of its own. */
const swaps: readonly (readonly [found: RegExp, to: string])[] = [
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ (?:===|==) /g, ' != '],
  [/ (?:!==|!=) /g, ' == '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/\+\+/g, '--'],
  [/--/g, '++'],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/ \|= /g, ' &= '],
  [/\b0\b/g, '1'],
  [/\b1\b/g, '0'],
];
const condition = /\bif \(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/;
/** A call, or an assignment to what is there already. */
const statement = /^\s+(?:[\w.#]|->|\[\w+\])+(?:\(.*\)| (?:[-+|&]?=) .+);$/;
const comment = /\s*(?:\/\/|\/\*|\*).*$/;
/** Declarations; ends of the process; locks and memory orders, which one thread can't tell from others. */
const left =
  /^\S|^\s*(?:import|export|static_assert|template|using)\b|^\s*return false;|\b(?:abort|terminate|memory_order\w*|\w*lock\w*)\b|'[^']*'|"/;

export function mutationsOf(file: string, source: string): Mutation[] {
  return source.split('\n').flatMap((from, i) => {
    if (left.test(from) || comment.test(from)) return [];
    const made = swaps.flatMap(([found, to]) =>
      [...from.matchAll(found)].map(
        ({ index, 0: old }) => from.slice(0, index) + to + from.slice(index + old.length),
      ),
    );
    if (condition.test(from)) made.push(from.replace(condition, 'if (!($1))'));
    if (statement.test(from)) made.push(';');
    return made.map((to) => ({ file, line: i + 1, from, to }));
  });
}

/** In the order of their hashes with the seed. */
export function shuffled(mutations: readonly Mutation[], seed: number): Mutation[] {
  const key = (mutation: Mutation) =>
    createHash('sha1')
      .update(JSON.stringify([seed, mutation]))
      .digest('hex');
  const keyed = mutations.map((mutation) => [key(mutation), mutation] as const);
  return keyed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, mutation]) => mutation);
}
