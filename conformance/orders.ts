/**
 * Runs small programs in every order and all others in the orders of some seeds, on every implementation: each has to have the same
 * choices and to leave the same traces. Of the programs in orders.yaml more is known.
 *
 *   npm run orders -- [--only TEXT] [--case NAME] [--run NAME]      as npm run conformance
 */
import { fileURLToPath } from 'node:url';
import { difference, everyOrder, type Runs, seededOrders } from './everyorder.js';
import type { Program } from './case.js';
import { mainOf, UsageError } from './commandline.js';
import { Asker } from './fuzz/asker.js';
import { buildAdapters, chooseImplementations } from './implementations.js';
import { loadSuite } from './load.js';
import { type Options, readOptions, usage } from './options.js';
import { isSmall, movesFreely } from './small.js';
import { findings, loadWatched, type Watched } from './watched.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const seeds = [1, 2];
const mostOrders = 50000;

interface Task {
  readonly program: Program;
  readonly every: boolean;
  readonly watched?: Watched;
}

function tasksOf(options: Options): Task[] {
  const suite = loadSuite(root);
  const own = loadWatched(new URL('orders.yaml', import.meta.url));
  const problems = [...suite.problems, ...own.problems];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const watched = own.list.map((entry) => ({
    chapter: 'orders',
    task: { program: entry.program, every: true, watched: entry },
  }));
  const cases = suite.cases
    .filter(({ program }) => movesFreely(program))
    .map(({ chapter, program: { trace: _trace, order: _order, ...program } }) => ({
      chapter,
      task: { program: program as Program, every: isSmall(program as Program) },
    }));
  return [...watched, ...cases].filter((found) => isChosen(found, options)).map(({ task }) => task);
}

function isChosen(
  { chapter, task: { program } }: { chapter: string; task: Task },
  { only, case: name }: Options,
): boolean {
  if (name !== undefined && program.case !== name) return false;
  return only === undefined || program.case.includes(only) || chapter.includes(only);
}

/** Undefined if the program is too large for it, or isn't for it. */
async function runsOf(asker: Asker, { program, every }: Task): Promise<Runs | undefined> {
  if (program.exceeds?.includes(asker.name)) return undefined;
  const ask = (asked: Program) => asker.ask(asked);
  const found = every
    ? await everyOrder(ask, program, mostOrders)
    : await seededOrders(ask, program, seeds);
  return found.unfit ? undefined : found;
}

/** What is wrong with the runs of an implementation. */
function judge({ watched }: Task, expected: Runs, runs: Runs): string[] {
  const differs = difference(expected, runs);
  const found = watched === undefined ? [] : findings(watched, runs.runs);
  return differs === undefined ? found : [differs, ...found];
}

/** How many programs each implementation has passed. */
async function runAll(tasks: readonly Task[], askers: readonly Asker[]): Promise<number[]> {
  const passed = askers.map(() => 0);
  const counts = { small: 0, orders: 0, cut: 0 };
  for (const task of tasks) {
    const all = await Promise.all(askers.map((asker) => runsOf(asker, task)));
    const expected = all.findLast((runs) => runs !== undefined) ?? { runs: [] };
    for (const [i, runs] of all.entries()) {
      const wrong = runs === undefined ? [] : judge(task, expected, runs);
      if (wrong.length === 0) passed[i]!++;
      else report(askers[i]!.name, task.program.case, wrong);
    }
    if (!task.every) continue;
    counts.small++;
    counts.orders += expected.runs.length;
    if (expected.runs.length === mostOrders) counts.cut++;
  }
  const others = `${tasks.length - counts.small} other programs in those of ${seeds.length} seeds`;
  const cut = `${counts.cut} of them in their first ${mostOrders}`;
  console.log(`${counts.small} small programs in ${counts.orders} orders, ${cut}; ${others}`);
  return passed;
}

function report(implementation: string, program: string, wrong: readonly string[]): void {
  console.log(`${implementation}: ${program}\n  ${wrong.slice(0, 5).join('\n  ')}\n`);
}

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  const tasks = tasksOf(options);
  if (tasks.length === 0) throw new UsageError('no program is chosen');
  const implementations = chooseImplementations(options);
  buildAdapters(implementations, root);
  const limits = { startMs: 30_000, caseMs: options.limitMs };
  const askers = implementations.map((each) => new Asker(each, limits, root));
  const passed = await runAll(tasks, askers);
  const faults = await Promise.all(askers.map((asker) => asker.end()));
  const ended = askers.map(({ name }, i) => ({ name, fault: faults[i] }));
  const faulty = ended.filter(({ fault }) => fault !== undefined);
  for (const { name, fault } of faulty) console.log(`${name}: the adapter ${fault}`);
  console.log(['all', tasks.length, ...passed].join('  '));
  return faulty.length === 0 && passed.every((count) => count === tasks.length) ? 0 : 1;
}

await mainOf(usage, main);
