/**
 * Random programs in two languages: steps of the name `native` are run by a plug-in, what is around them by JavaScript.
 *
 * Each program is one of the usual ones, less what the two can't share, with times of its own: which line comes first where several are
 * ready isn't the same then, so nothing happens at the same instant by chance.
 */
import type { Program } from '../case.js';
import { apart, spread, withoutOthers } from './apart.js';
import { Chance } from './chance.js';
import {
  type Around,
  completes,
  fits,
  insideOf,
  isOfJs,
  Taken,
  withoutHandlers,
} from './nativeparts.js';
import { frozen, isPart, mappedBut, type Part, without } from './parts.js';
import { programOf } from './programs.js';

/** Of the k-th program of a seed; undefined: nothing in it can be native. */
export function mixedOf(seed: number, k: number): Program | undefined {
  const chance = new Chance(numbersOf(seed ^ Math.imul(k + 1, 0x9e3779b1)));
  const alone = spread(withoutOthers(programOf(seed, k)), chance) as Program;
  const program = withNative(alone, chance);
  return program === alone ? undefined : { ...program, case: `mixed ${program.case}` };
}

/** As of a tool that is given a seed. */
function numbersOf(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let word = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    return (word ^ (word >>> 16)) >>> 0;
  };
  return { nextInt: (least: number, most: number) => least + (next() % (most - least + 1)) };
}

function withNative(program: Program, chance: Chance): Program {
  const taken = new Taken();
  const change = (part: unknown, around: Around): unknown => {
    if (Array.isArray(part))
      return part.filter((item) => !completes(item)).map((item) => change(item, around));
    if (!isPart(part)) return part;
    if (part['step'] !== undefined && fits(part, around, taken) && chance.percent(60)) {
      const { catch: handler, ...body } = toNative(part, chance);
      taken.add(part);
      return handler === undefined ? body : { ...body, catch: change(handler, around) };
    }
    const inside = insideOf(part, around);
    const entries = Object.entries(apart(part, chance));
    const changed = entries.map(([key, value]) => [key, change(value, inside)]);
    return withoutHandlers(Object.fromEntries(changed));
  };
  const flows = change(program.flows, {
    closing: false,
    locking: false,
    keyed: false,
    hedged: false,
    beside: false,
  }) as Program['flows'];
  const { count } = taken;
  if (count === 0) return program;
  const both = (list: unknown): unknown =>
    Array.isArray(list) ? list.flatMap((event: Part) => forBoth(event, chance)) : list;
  const named = (names: unknown) =>
    Array.isArray(names) ? [...names, ...names.map(nativeName)] : names;
  const isOfBoth = JSON.stringify(flows).includes('"name":"js"');
  const alone = isOfBoth ? without(program, 'snapshot') : program;
  return {
    ...alone,
    flows: isOfBoth ? (without(flows, 'snapshot') as Program['flows']) : flows,
    events: both(alone['events']),
    ...('cancellable' in program && { cancellable: named(program['cancellable']) }),
    ...('operations' in program && { operations: named(program['operations']) }),
  };
}

const nativeName = (name: unknown) => `native${name}`;

/** What comes from outside comes to both, each at a time of its own: several lines that go on at the same instant may meet. */
function forBoth(event: Part, chance: Chance): Part[] {
  const { at, do: actions } = event as { at: number; do: unknown[] };
  return actions.flatMap((action) => {
    const each = isPart(action) ? action : {};
    const { done, settle } = each;
    const all: unknown[] = [action];
    if (done !== undefined) all.push({ ...each, done: nativeName(done) });
    if (settle !== undefined) all.push({ ...each, settle: nativeName(settle) });
    return all.map((one) => ({ at: at + chance.int(0, 999), do: [one] }));
  });
}

/** What it waits for has names of its own; its handler is JavaScript's. */
function toNative({ catch: handler, ...body }: Part, chance: Chance): Part {
  const inside = mappedBut(body, (part) => {
    if (part !== body && isOfJs(part) && chance.percent(40)) return toJs(part);
    // A service begins later than a branch beside it, which may win meanwhile.
    const renamed = Object.entries(apart(part, chance)).map(([key, value]) => [
      key,
      ['waitExternal', 'done', 'on', 'return', 'settle'].includes(key) && typeof value === 'string'
        ? nativeName(value)
        : value,
    ]);
    const changed: Part = Object.fromEntries(renamed);
    // Each tool has random numbers of its own.
    return isPart(changed['backoff'])
      ? { ...changed, backoff: { ...changed['backoff'], jitter: 0 } }
      : changed;
  }) as Part;
  // It stands around the native step, also around the cleanup of that.
  const heard = handler !== undefined && !JSON.stringify(inside).includes('"defer"');
  return { ...inside, name: 'native', ...(heard ? { catch: handler } : {}) };
}

/** In native steps: a step of JavaScript, which they call as a service. What it says to snapshots is a flow of its own. */
function toJs({ catch: handler, ...body }: Part): Part {
  const inner = frozen({ ...body });
  return {
    step: '',
    name: 'js',
    do: [inner],
    ...(handler === undefined ? {} : { catch: handler }),
  };
}
