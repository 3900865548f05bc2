/** Random programs of the case language, as an arbitrary of fast-check: generated and shrunk by the same rules. */
import fc from 'fast-check';
import type { Program } from '../case.js';
import { namesIn, namesProblems, promisesIn } from '../names.js';
import { schemaProblems } from '../schema.js';
import { Chance, type Numbers } from './chance.js';
import * as data from './data.js';
import { grammarOf } from './grammar.js';
import { type Action, inside, Making, type Scope } from './making.js';
import { scopes } from './anywhere.js';
import { withProbes } from './probes.js';
import { endAt } from './invariants.js';
import { smaller } from './smaller.js';

export class Programs extends fc.Arbitrary<Program> {
  generate(numbers: Numbers): fc.Value<Program> {
    return new fc.Value(generate(numbers), undefined);
  }

  canShrinkWithoutContext(value: unknown): value is Program {
    return isValid(value as Program);
  }

  shrink(program: Program): fc.Stream<fc.Value<Program>> {
    const candidates = fc.stream(smaller(program)[Symbol.iterator]() as Iterator<Program> as never);
    return (candidates as fc.Stream<Program>)
      .filter(isValid)
      .map((candidate) => new fc.Value(candidate, undefined));
  }
}

export const programs: fc.Arbitrary<Program> = new Programs();

/** The k-th program of a seed; which one it is doesn't depend on the others. */
export function programOf(seed: number, k: number): Program {
  const mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(k + 1, 0xc2b2ae35);
  const [program] = fc.sample(programs, { seed: mixed | 0, numRuns: 1 });
  return { ...(program as Program), case: `program ${k} of seed ${seed}` };
}

export function isValid(program: Program): boolean {
  return (
    schemaProblems({ ...program, trace: [] }).length === 0 && namesProblems(program).length === 0
  );
}

const atRoot: Scope = { place: 'root', depth: 0, repeated: false, labels: [], kept: [] };

function generate(numbers: Numbers): Program {
  const room = numbers.nextInt(0, 9) < 6 ? numbers.nextInt(4, 30) : numbers.nextInt(30, 100);
  const making = new Making(grammarOf(new Chance(numbers)), numbers, room);
  const { chance } = making;
  const names = [
    'main',
    ...['two', 'three'].slice(
      0,
      chance.weighted([
        [5, 0],
        [3, 1],
        [1, 2],
      ]),
    ),
  ];
  making.flows.push(...names);
  const shared = makeShared(making);
  const events = chance.list(chance.int(0, 8), () => event(making));
  const flows = Object.fromEntries(names.map((name) => [name, making.level(atRoot, 4)]));
  const start = names.flatMap((name) => started(making, name));
  const end = chance.percent(75)
    ? [{ at: endAt, do: names.map((name) => ({ cancel: name })) }]
    : [];
  const closing = scopes.map((name) => ({ closeScope: name }));
  const program = withoutUnmade({
    case: 'a generated program',
    rules: ['model-1'],
    ...options(making, names),
    ...chance.maybe(20, 'seed', () => chance.int(0, 1000)),
    ...chance.maybe(25, 'order', () => chance.int(1, 1000)),
    ...shared,
    flows,
    start,
    events: [...events, ...rounds(making), ...end, { at: endAt, do: closing }],
  });
  return withProbes(withFlowsAlone({ ...program, ...cancellable(making, program) }));
}

/** In another order it's free in which one a snapshot of the tool shows its flows. [observe-1] */
function withFlowsAlone(program: Program): Program {
  if (program['order'] === undefined) return program;
  const text = JSON.stringify(program).replaceAll('"snapshot":true', '"snapshot":"main"');
  return JSON.parse(text) as Program;
}

function started({ chance }: Making, name: string): Action[] {
  const start = chance.weighted<Action>([
    [10, { execute: name }],
    [3, { promise: name }],
    [2, { execute: name, done: false }],
  ]);
  return chance.percent(10) ? [start, { closed: name }] : [start];
}

/** What a program waits for comes from outside, and most of what ends it early. */
function event(making: Making): { at: number; do: Action[] } {
  const { chance, flows } = making;
  const coming = chance.weighted<() => Action[]>([
    [4, () => [{ done: making.completion(), success: data.values(chance) }]],
    [3, () => [{ done: making.completion(), error: 'E' }]],
    [4, () => [{ settle: making.promise(), value: 1 }]],
    [3, () => [{ settle: making.promise(), error: 'F' }]],
    [3, () => [{ cancel: chance.pick(flows) }]],
    [2, () => []],
  ])();
  const more = making.actions(inside(atRoot, 'outside'), 2);
  return { at: chance.int(0, 20), do: [...coming, ...more] };
}

/** Ends what still waits, again and again: what comes behind a wait is reached too. */
function rounds({ chance }: Making): object[] {
  if (chance.percent(20)) return [];
  const promises = ['P', 'Q', 'R'].filter(() => chance.percent(80));
  const settled = promises.map((settle) =>
    chance.percent(75) ? { settle, value: settle } : { settle, error: 'E' },
  );
  return chance.list(6, (i) => {
    const completions = ['c1', 'c2', 'c3', 'c4'].filter(() => chance.percent(70));
    const done = completions.map((name) =>
      chance.percent(75) ? { done: name, success: [i] } : { done: name, error: 'E' },
    );
    return { at: 22 + 4 * i, do: i === 1 ? [...settled, ...done] : done };
  });
}

/** Channels, guards whose locks may use them, and budgets, which are there before anything runs. */
function makeShared(making: Making): object {
  const { chance } = making;
  const channels = Object.fromEntries(
    chance.list(chance.percent(30) ? 1 : 0, () => ['ch', { capacity: chance.int(0, 2) }]),
  );
  making.channels.push(...Object.keys(channels));
  const guards = Object.fromEntries(
    chance.list(
      chance.weighted([
        [3, 0],
        [3, 1],
        [3, 2],
      ]),
      (i) => guard(making, `G${i + 1}`),
    ),
  );
  const budgets = Object.fromEntries(
    chance.list(chance.percent(15) ? 1 : 0, () => [
      'b',
      { capacity: chance.int(1, 3), ratio: chance.pick([0, 0.1, 0.5, 1]) },
    ]),
  );
  making.budgets.push(...Object.keys(budgets));
  return Object.fromEntries(
    Object.entries({ guards, channels, budgets }).filter(
      ([, made]) => Object.keys(made).length > 0,
    ),
  );
}

function guard(making: Making, name: string): [string, object] {
  const { chance } = making;
  if (chance.percent(8)) {
    making.barriers.push(name);
    return [name, { barrier: { parties: chance.int(1, 3) } }];
  }
  const made = chance.percent(30) ? custom(making) : data.guard(chance);
  const names = 'rwlock' in made ? [`${name}.read`, `${name}.write`] : [name];
  making.guards.push(...names);
  if ('gate' in made) making.gates.push(name);
  if ('keyed' in made) making.keyeds.push(name);
  if (!('custom' in made)) making.ownGuards.push(...names);
  else if ('lease' in (made as { custom: object }).custom) making.leased.push(name);
  if ('mutex' in made && (made['mutex'] as { max?: number }).max === 2) making.mutexes.push(name);
  return [name, made];
}

function custom(making: Making): object {
  const lock = () => making.body(inside(atRoot, 'lock', { depth: 4, repeated: true }));
  const unlock = () => making.actions(inside(atRoot, 'unlock', { depth: 4, repeated: true }), 2);
  return {
    custom: {
      ...making.chance.maybe(60, 'lock', lock),
      ...making.chance.maybe(30, 'unlock', unlock),
      ...making.chance.maybe(60, 'lease', () => true),
    },
  };
}

/** A short grace for all, so that nothing lasts. */
function options({ chance }: Making, names: readonly string[]): object {
  return {
    options: Object.fromEntries(
      names.map((name) => [
        name,
        { grace: chance.int(0, 15), ...chance.maybe(20, 'burst', () => chance.int(1, 3)) },
      ]),
    ),
  };
}

/** Without the actions whose names nothing makes; what is left may then lack others. */
export function withoutUnmade(program: Program): Program {
  const { unmade } = namesIn(program);
  if (unmade.length === 0) return program;
  const texts = new Set(unmade.map(({ key, name }) => `${key} ${name}`));
  const isUnmade = (item: unknown) =>
    typeof item === 'object' &&
    item !== null &&
    Object.entries(item).some(([key, name]) => texts.has(`${key} ${name}`));
  const prune = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.filter((item) => !isUnmade(item)).map(prune);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, prune(value)]));
  };
  return withoutUnmade(prune(program) as Program);
}

/** Some promises can be cancelled, and some of these take time to stop. */
function cancellable({ chance }: Making, program: Program): object {
  const names = promisesIn(namesIn(program)).filter((_, i, all) => all.indexOf(_) === i);
  const some = names.filter(() => chance.percent(40));
  const lasting = some.filter(() => chance.percent(40));
  const others = some.filter((name) => !lasting.includes(name));
  return {
    ...(others.length > 0 && { cancellable: others }),
    ...(lasting.length > 0 && { operations: lasting }),
  };
}
