/** Which forms and actions programs have reached, and inside of which. */
import type { Program } from '../case.js';
import { namesIn } from './grammar.js';
import type { Place } from './making.js';

type Part = { readonly [key: string]: unknown };

/** Lists of actions, by the form or action that they are part of; the trace tells by its line whether they ran. */
const lists: { readonly [parent: string]: { place: Place; keys: readonly string[] } } = {
  flow: { place: 'root', keys: [] },
  event: { place: 'outside', keys: [] },
  ...Object.fromEntries(
    ['step', 'loop', 'repeat', 'forEach', 'map', 'sync', 'shield', 'retry', 'hedge', 'defer'].map(
      (name) => [name, { place: 'body', keys: ['do'] }],
    ),
  ),
  catch: { place: 'handler', keys: [] },
  setCancel: { place: 'cancel handler', keys: ['setCancel'] },
  lock: { place: 'lock', keys: [] },
  unlock: { place: 'unlock', keys: [] },
  immediate: { place: 'outside', keys: ['immediate'] },
  deferred: { place: 'outside', keys: ['do'] },
  sink: { place: 'outside', keys: [] },
  source: { place: 'outside', keys: [] },
};

/** No flow is made in what may run several times, and nobody has kept an accessor where no body is around. */
const impossible: { readonly [name: string]: readonly string[] } = {
  newInstance: ['loop', 'repeat', 'forEach', 'map', 'retry', 'hedge', 'lock', 'unlock'],
  with: ['event', 'lock', 'unlock', 'source'],
  snapshot: ['unlock'], // The section may be gone already.
};

const ends = new Set(['error', 'break', 'continue', 'throw', 'throwValue']);

export class Coverage {
  readonly #pairs = new Map<string, number>();

  add(program: Program, trace: readonly string[]): void {
    const seen = new Set(trace.map((line) => line.split(' ', 1)[0] as string));
    for (const level of Object.values(program.flows)) this.#list('flow', level, seen);
    for (const event of (program['events'] as Part[] | undefined) ?? []) {
      this.#list('event', event['do'], seen);
    }
    for (const [name, guard] of Object.entries((program['guards'] as Part | undefined) ?? {})) {
      const { lock, unlock } = ((guard as Part)['custom'] as Part | undefined) ?? {};
      if (seen.has(`${name}+`)) this.#list('lock', lock, seen);
      if (seen.has(`${name}-`)) this.#list('unlock', unlock, seen);
    }
  }

  /** Up to the first that throws, what comes behind isn't reached. */
  #list(parent: string, actions: unknown, seen: ReadonlySet<string>): void {
    for (const action of (actions as unknown[] | undefined) ?? []) {
      const name = nameOf(action);
      const pair = `${parent} > ${name}`;
      this.#pairs.set(pair, (this.#pairs.get(pair) ?? 0) + 1);
      if (typeof action === 'object' && action !== null) this.#inside(name, action as Part, seen);
      if (ends.has(name)) return;
    }
  }

  #inside(name: string, action: Part, seen: ReadonlySet<string>): void {
    const id = String(action[name]);
    if (name === 'try' || name === 'times' || name === 'with') {
      this.#list(name, action[name === 'try' ? 'try' : 'do'], seen);
    } else if (name === 'setCancel' || name === 'immediate') this.#list(name, action[name], seen);
    else if (name === 'deferred') this.#list(name, action['do'], seen);
    else if (seen.has(id)) this.#list(name, action['do'], seen);
    if (seen.has(`${id}!`)) this.#list('catch', action['catch'], seen);
    if (seen.has(`${id}>`)) this.#list('sink', action['sink'], seen);
    for (const key of ['branches', 'parts', 'steps']) this.#list(name, action[key], seen);
    const { source, at } = (action['of'] ?? {}) as Part;
    if (!seen.has(`${source}+`)) return;
    for (const list of Object.values((at as Part | undefined) ?? {}))
      this.#list('source', list, seen);
  }

  /** Each form and action with how often it was reached; pairs that are possible and were never reached. */
  summary(): { reached: { [name: string]: number }; pairs: number; never: string[] } {
    const reached: { [name: string]: number } = {};
    for (const [pair, count] of this.#pairs) {
      const name = pair.split(' > ')[1] as string;
      reached[name] = (reached[name] ?? 0) + count;
    }
    const possible = Object.entries(lists).flatMap(([parent, { place }]) =>
      namesIn(place)
        .filter((name) => !impossible[name]?.includes(parent))
        .map((name) => `${parent} > ${name}`),
    );
    const never = possible.filter((pair) => !this.#pairs.has(pair));
    return { reached, pairs: this.#pairs.size, never };
  }
}

function nameOf(action: unknown): string {
  return typeof action === 'string' ? action : (Object.keys(action as object)[0] as string);
}
