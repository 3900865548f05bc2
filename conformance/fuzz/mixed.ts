/**
 * Random programs in two languages: steps of the name `native` are run by a plug-in, what is around them by JavaScript.
 *
 * Each program is one of the usual ones, less what the two can't share, with times of its own: which line comes first where several are
 * ready isn't the same then, so nothing happens at the same instant by chance.
 */
import type { Program } from '../case.js';
import { Chance } from './chance.js';
import { askedAt, probe } from './probes.js';
import { programOf, withoutUnmade } from './programs.js';

type Part = { readonly [key: string]: unknown };

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

function isPart(part: unknown): part is Part {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

/** Each part of it, from the outside to the inside; what `change` gives is gone through in its place. */
function mapped(part: unknown, change: (part: Part) => Part): unknown {
  if (Array.isArray(part)) return part.map((item) => mapped(item, change));
  if (!isPart(part)) return part;
  return Object.fromEntries(
    Object.entries(change(part)).map(([key, value]) => [key, mapped(value, change)]),
  );
}

/** What meets others at the same instant, or counts what is left of both languages. */
const left = [
  ...['execute', 'promise', 'start', 'closeScope', 'drainScope', 'addTo', 'newInstance'],
  ...['immediate', 'deferred', 'cancelHandle', 'validHandle', 'runTool', 'busy', 'armedTimers'],
];

function withoutOthers(program: Program): Program {
  const { order: _, options, ...rest } = program;
  const { main, [probe]: probes } = program.flows as { [name: string]: unknown };
  const without = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.filter((item) => !isLeft(item)).map(without);
    if (!isPart(part)) return part;
    if ('await' in part && 'flow' in part) return without(awaitsPromise(part));
    if ('loop' in part && isEndless(part)) return without(ends(part));
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, without(value)]));
  };
  const isLeft = (item: unknown) =>
    item === 'runTool' || (isPart(item) && left.some((key) => key in item) && !isProbe(item));
  const { grace = 10 } = (options as { main?: { grace?: number } })?.main ?? {};
  return withoutUnmade({
    ...(without(rest) as Program),
    options: { main: { grace } },
    flows: { main: without(main), ...(probes === undefined ? {} : { [probe]: probes }) },
    start: [{ execute: 'main' }],
  });
}

/** There is but one flow. */
function awaitsPromise({ flow: _, ...rest }: Part): Part {
  return { ...rest, on: 'P' };
}

/** Such a loop is nothing but long. */
function isEndless(loop: Part): boolean {
  const text = JSON.stringify(loop);
  return !/"(break|error)/.test(text) || /"continue/.test(text);
}

function ends({ loop: repeat, ...rest }: Part): Part {
  return { repeat, times: 2, ...rest };
}

function isProbe(item: Part): boolean {
  return item['execute'] === probe;
}

const times = ['setTimeout', 'delay', 'timeout', 'after', 'base', 'cap', 'grace', 'period'];

/** Far apart from each other. */
function spread(program: Program, chance: Chance): unknown {
  const far = (ms: unknown) =>
    typeof ms === 'number' && ms >= 0 && Number.isInteger(ms)
      ? ms * 10_000 + chance.int(1, 9_999)
      : ms;
  const atOf = (ms: unknown) =>
    typeof ms === 'number' && ms >= askedAt / 2 ? far(ms / (askedAt / 1000)) : far(ms);
  return mapped(program, (part) =>
    Object.fromEntries(
      Object.entries(part).map(([key, value]) => {
        if (key === 'at') return [key, atOf(value)];
        if (key === 'on' && isPart(value)) return [key, answersOf(value, far)];
        const isTime =
          times.includes(key) || key === 'openFor' || (key === 'limit' && 'shield' in part);
        return [key, isTime ? far(value) : value];
      }),
    ),
  );
}

function answersOf(on: Part, far: (ms: unknown) => unknown): Part {
  return Object.fromEntries(Object.entries(on).map(([code, answer]) => [code, far(answer)]));
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

function without<T>(part: T, name: string): T {
  const isLeft = (item: unknown) => isPart(item) && name in item;
  if (Array.isArray(part))
    return part.filter((item) => !isLeft(item)).map((item) => without(item, name)) as T;
  if (!isPart(part)) return part;
  const entries = Object.entries(part).map(([key, value]) => [key, without(value, name)]);
  return Object.fromEntries(entries) as T;
}

const done = new WeakSet<object>();
function frozen(part: Part): Part {
  done.add(part);
  return part;
}

/** As `mapped`, but what is frozen stays as it is inside. */
function mappedBut(part: unknown, change: (part: Part) => Part): unknown {
  if (Array.isArray(part)) return part.map((item) => mappedBut(item, change));
  if (!isPart(part)) return part;
  const changed = done.has(part) ? part : change(part);
  const { catch: handler, ...body } = changed;
  if (!done.has(changed))
    return Object.fromEntries(
      Object.entries(changed).map(([key, value]) => [key, mappedBut(value, change)]),
    );
  return handler === undefined ? changed : { ...body, catch: mappedBut(handler, change) };
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

/** What takes time to stop in it has a grace of its own, beside that of the call: so there is none. */
function isOfJs(part: Part): boolean {
  const { step, name, catch: _, ...body } = part;
  const text = JSON.stringify(body);
  return (
    typeof step === 'string' &&
    step !== '' &&
    name === undefined &&
    isNative({ step, ...body }, []) &&
    !/"(defer|await|return)"/.test(text)
  );
}

const forms = [
  ...['step', 'loop', 'repeat', 'forEach', 'map', 'parallel', 'race', 'any', 'all', 'steps'],
  ...['wrapped', 'delay', 'shield', 'retry', 'hedge', 'await', 'successStep'],
];
const actions = [
  ...['success', 'error', 'errorNoThrow', 'setTimeout', 'setCancel', 'defer', 'waitExternal'],
  ...['return', 'returnValue', 'returnStep', 'log', 'try', 'times', 'done', 'settle', 'throw'],
];
const words = ['success', 'waitExternal', 'outcome', 'remaining', 'valid', 'relinquish'];
const loops = ['loop', 'repeat', 'forEach'];
const breaks = ['break', 'continue', 'breakNoThrow', 'continueNoThrow'];
/** Where a break finds no loop around, or another than it says. */
const walls = ['parallel', 'race', 'any', 'all', 'map', 'hedge', 'setCancel', 'defer'];
const lists = ['do', 'catch', 'try', 'setCancel', 'sink', 'parts', 'branches'];
const parts = ['body', 'wrapped', 'returnStep'];
const ofJs = ['from', 'budget', 'flow', 'source'];

/** Whether all that its body does and adds can be done without JavaScript. Its handler is JavaScript's in any case. */
function isFit({ catch: _, ...body }: Part): boolean {
  return body['name'] === undefined && isNative(body, []);
}

/** `labels`: of the loops around that are native, too. */
function isNative(action: unknown, labels: readonly string[]): boolean {
  if (typeof action === 'string')
    return words.includes(action) || (breaks.includes(action) && labels.length > 0);
  const part = action as Part;
  const kind = Object.keys(part)[0] as string;
  if (breaks.includes(kind)) return labels.includes(String(part[kind]));
  if (kind === 'show') return !/path|waits/.test(String(part['show']));
  if (!forms.includes(kind) && !actions.includes(kind)) return false;
  if (ofJs.some((key) => key in part || (isPart(part['of']) && key in part['of']))) return false;
  const outer = walls.includes(kind) ? [] : labels;
  const around = loops.includes(kind) ? [...outer, String(part['label'] ?? '')] : outer;
  const inner = [
    ...lists.flatMap((key) => (Array.isArray(part[key]) ? part[key] : [])),
    ...parts.flatMap((key) => (part[key] === undefined ? [] : [part[key]])),
    ...((part['wraps'] as Part[] | undefined) ?? []).flatMap((wrap) => (wrap['do'] as []) ?? []),
    ...Object.values(isPart(part['at']) ? part['at'] : {}).flat(),
  ];
  return inner.every((each) => isNative(each, around));
}
