/**
 * Runs all cases, and random programs, with an observer from their start: no trace changes by that, all that opens closes, and the
 * implementations tell the events of the model. Steps that are values are others than those that calls make, so `defined-cpp` has to
 * tell what `defined` does; but where there are guards of keys, of which the two adapters don't make the same values.
 *
 * With `--cancels` the observer cancels the flow of an event, of one after the other: what `js` tells and does then, all should.
 *
 *   npm run observed -- [--only TEXT] [--run NAME] [--programs N] [--seed N] [--cancels N]
 */
import { fileURLToPath } from 'node:url';
import type { Answer } from './adapter.js';
import type { Program } from './case.js';
import { mainOf, UsageError, valuesOf } from './commandline.js';
import { observed, observes, sharesNames, unpaired, withoutEvents } from './eventlines.js';
import { sameTrace } from './execute.js';
import { Asker } from './fuzz/asker.js';
import { minimise } from './fuzz/minimise.js';
import { programOf } from './fuzz/programs.js';
import { buildAdapters, chooseImplementations } from './implementations.js';
import { adapters, commandOptions, commandsOf } from './listed.js';
import { loadSuite } from './load.js';

const usage = `usage: npm run observed -- [options]
  --only TEXT        only cases whose name or file's name contains TEXT
  --run NAME         only this implementation: ${adapters.join(', ')} (repeatable)
  --programs N       how many random programs, too (default 300)
  --seed N           of these; without it a fresh one, which is printed
  --cancels N        at how many events of each program the observer cancels its flow, each in a run of its own (default 0)
  --js COMMAND       another command for the adapter js, which is not built then; so --cpp and the others`;

const root = fileURLToPath(new URL('..', import.meta.url));
const limits = { startMs: 30_000, caseMs: 60_000 };
const window = 16;
const shrunk = 3;
const shrinkMs = 10_000;
const text = { type: 'string' } as const;
const known = {
  only: text,
  run: { type: 'string', multiple: true },
  programs: text,
  seed: text,
  cancels: text,
  ...commandOptions,
} as const;

interface Task {
  readonly program: Program;
  readonly title: string;
}

/** One with what it has to tell the same events as, if anything. */
interface Pair {
  readonly asker: Asker;
  readonly like: Asker | undefined;
  /** The same, where observers cancel. */
  readonly cancelsLike: Asker | undefined;
}

interface Finding {
  readonly wrong: string;
  readonly lines: readonly string[];
}

function tasksOf(only: string | undefined, programs: number, seed: number): Task[] {
  const suite = loadSuite(root);
  if (suite.problems.length > 0) throw new Error(suite.problems.join('\n'));
  const cases = suite.cases
    .filter(({ file, program }) => only === undefined || `${file} ${program.case}`.includes(only))
    .map(({ program: { trace: _, ...program } }) => ({ program, title: program.case }));
  const random = Array.from({ length: programs }, (_, k) => ({
    program: programOf(seed, k),
    title: `program ${k} of seed ${seed}`,
  }));
  return [...cases, ...random].filter(({ program }) => !observes(program as Program)) as Task[];
}

/** Undefined: nothing is wrong. */
async function judge(program: Program, pair: Pair, cancels: number): Promise<Finding | undefined> {
  return (await judgeEvents(program, pair)) ?? judgeCancels(program, pair, cancels);
}

async function judgeEvents(program: Program, { asker, like }: Pair): Promise<Finding | undefined> {
  if (program.exceeds?.includes(asker.name)) return undefined;
  const [alone, seen, expected] = (
    await Promise.all([
      asker.ask(program),
      asker.ask(observed(program)),
      makesOthers(program, asker) ? undefined : like?.ask(observed(program)),
    ])
  ).map(traceOf);
  if (alone === undefined || [alone, seen, expected].some((trace) => trace?.includes('truncated')))
    return undefined;
  if (asker.name === 'nitro' && alone.some((line) => line.includes('OutOfSteps'))) return undefined;
  if (seen === undefined) return { wrong: 'it has no answer when it is observed', lines: alone };
  const rest = withoutEvents(seen);
  if (!sameTrace(rest, alone)) return { wrong: 'observing moves it', lines: sides(alone, rest) };
  const unlike = sharesNames(program) ? [] : unpaired(seen);
  if (unlike.length > 0) return { wrong: "its events don't match", lines: [...unlike, ...seen] };
  if (expected === undefined || sameTrace(expected, seen)) return undefined;
  return { wrong: `it tells other events than ${like!.name}`, lines: sides(expected, seen) };
}

/** The same with an observer that cancels. Which event it is depends on the program alone. An accessor that is kept may be gone then: undefined. */
async function judgeCancels(
  program: Program,
  { asker, cancelsLike: like }: Pair,
  cancels: number,
): Promise<Finding | undefined> {
  if (like === undefined || sharesNames(program) || makesOthers(program, asker)) return undefined;
  if (JSON.stringify(program).includes('"keep"')) return undefined;
  const trace = traceOf(await like.ask(observed(program))) ?? [];
  const events = trace.length - withoutEvents(trace).length;
  for (let i = 0; i < Math.min(cancels, events); i++) {
    const cancelling = observed(program, 1 + ((i * 7919 + events) % events));
    const [expected, seen] = (
      await Promise.all([like, asker].map((each) => each.ask(cancelling)))
    ).map(traceOf);
    if (expected === undefined || expected.includes('truncated')) continue;
    if (asker.name === 'nitro' && seen?.some((line) => line.includes('OutOfSteps'))) continue;
    if (seen === undefined)
      return { wrong: 'it has no answer when an observer cancels', lines: expected };
    const unlike = unpaired(seen);
    if (unlike.length > 0) return { wrong: "its events don't match", lines: [...unlike, ...seen] };
    if (sameTrace(expected, seen)) continue;
    return {
      wrong: `when an observer cancels it differs from ${like.name}`,
      lines: sides(expected, seen),
    };
  }
  return undefined;
}

/** The steps of the program may be made in another way in the other language. */
function makesOthers(program: Program, { name }: Asker): boolean {
  return name.startsWith('defined') && JSON.stringify(program).includes('"keyed"');
}

/** The texts of the runtime's own errors are free. */
function traceOf(answer: Answer | undefined): readonly string[] | undefined {
  if (answer === undefined || !('trace' in answer)) return undefined;
  return answer.trace.map((line) => line.replace(/info="(?:|[^"]{2,})"/, 'info=...'));
}

function sides(expected: readonly string[], actual: readonly string[]): string[] {
  const width = Math.max(...expected.map(({ length }) => length));
  return Array.from({ length: Math.max(expected.length, actual.length) }, (_, i) => {
    const [a = '', b = ''] = [expected[i], actual[i]];
    return `${a === b ? ' ' : '>'} ${a.padEnd(width)} | ${b}`;
  });
}

/** How many are wrong. Of the first ones the smallest program that still is so is shown. */
async function judgeAll(tasks: readonly Task[], pair: Pair, cancels: number): Promise<number> {
  const left = tasks.values();
  const found: [Task, string][] = [];
  const line = async () => {
    for (const task of left) {
      const finding = await judge(task.program, pair, cancels);
      if (finding !== undefined) found.push([task, finding.wrong]);
    }
  };
  await Promise.all(Array.from({ length: window }, line));
  for (const [{ title }, wrong] of found) console.log(`${pair.asker.name}: ${title}: ${wrong}`);
  for (const [{ program }, wrong] of found.slice(0, shrunk)) {
    const deadline = performance.now() + shrinkMs;
    const isSame = async (smaller: Program) =>
      (await judge(smaller, pair, cancels))?.wrong === wrong;
    const isOver = () => performance.now() > deadline;
    const small = await minimise(program, isSame, { atATime: window, isOver });
    const { lines } = (await judge(small, pair, cancels)) ?? { lines: [] };
    console.log(`\n${JSON.stringify(small)}\n  ${lines.join('\n  ')}`);
  }
  console.log(`${pair.asker.name}: ${tasks.length - found.length} passed, ${found.length} failed`);
  return found.length;
}

async function main(args: readonly string[]): Promise<number> {
  const values = valuesOf(args, known);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const tasks = tasksOf(values.only, Number(values.programs ?? 300), seed);
  if (tasks.length === 0) throw new UsageError('no program is chosen');
  const run = values.run === undefined ? [] : ['model', ...values.run];
  const chosen = chooseImplementations({
    run,
    commands: commandsOf(values),
    limitMs: limits.caseMs,
    json: false,
  });
  buildAdapters(chosen, root);
  // What is undefined, as what uses an accessor that is gone, is nothing for the others: the model refuses it.
  const askers = chosen.map(({ name, command }) => {
    return new Asker(
      { name, command: name === 'model' ? `${command} --strict` : command },
      limits,
      root,
    );
  });
  const named = (name: string) => askers.find((asker) => asker.name === name);
  const model = named('model')!;
  const sound: Task[] = [];
  for (const task of tasks) if ('trace' in (await model.ask(task.program))) sound.push(task);
  console.log(`${sound.length} programs, seed ${seed}`);
  let failed = 0;
  for (const asker of askers) {
    if (asker === model) continue;
    const like = { defined: undefined, 'defined-cpp': named('defined') }[asker.name];
    const pair = {
      asker,
      like: asker.name.startsWith('defined') ? like : model,
      cancelsLike: asker.name.startsWith('defined')
        ? like
        : asker.name === 'js'
          ? undefined
          : named('js'),
    };
    failed += await judgeAll(sound, pair, Number(values.cancels ?? 0));
  }
  const faults = (await Promise.all(askers.map((asker) => asker.end()))).filter(Boolean);
  for (const fault of faults) console.log(fault);
  return failed + faults.length === 0 ? 0 : 1;
}

await mainOf(usage, main);
