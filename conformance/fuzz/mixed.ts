/**
 * Random programs in two languages: steps of the name `native` are run by a plug-in, what is around them by JavaScript.
 *
 * Each program is one of the usual ones, less what the two can't share, with times of its own: which line comes first where several are
 * ready isn't the same then, so nothing happens at the same instant by chance.
 */
import type { Program } from '../case.js';
import { spread, withoutOthers } from './apart.js';
import { Chance } from './chance.js';
import { isFit, isOfJs } from './nativeparts.js';
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

/** Branches begin one after the other; so do the items of a map. */
function withNative(program: Program, chance: Chance): Program {
  let count = 0;
  const change = (part: Part): Part => {
    // What a grace ends there is abandoned; native steps are cancelled then, and close as ever.
    if (part['defer'] !== undefined) return frozen(part);
    // What native steps abandon keeps no place in guards of JavaScript.
    if (part['sync'] !== undefined && /"(await|return)"/.test(JSON.stringify(part)))
      return frozen(part);
    if (part['step'] !== undefined && isFit(part) && chance.percent(60)) {
      count++;
      return frozen(toNative(part, chance));
    }
    return apart(part, chance);
  };
  const flows = mappedBut(program.flows, change) as Program['flows'];
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

function apart(part: Part, chance: Chance): Part {
  if ('map' in part && typeof part['limit'] === 'number') return { ...part, limit: 1 };
  if (!Array.isArray(part['branches'])) return part;
  const branches = part['branches'].map((branch) => ({
    steps: '',
    parts: [{ delay: chance.int(1, 9_999) }, branch],
  }));
  return { ...part, branches };
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
  // A service begins later than a branch beside it, which may win meanwhile.
  const isAlone = !/"(parallel|any|race|all|map|hedge)"/.test(JSON.stringify(body));
  const inside = mappedBut(body, (part) => {
    if (isAlone && part !== body && isOfJs(part) && chance.percent(40)) return toJs(part);
    const renamed = Object.entries(part).map(([key, value]) => [
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
