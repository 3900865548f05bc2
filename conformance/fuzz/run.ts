/** Random programs on the model and the implementations: their traces are equal, and nothing in them is absurd. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Case } from '../case.js';
import { mainOf } from '../commandline.js';
import { buildAdapters, chooseImplementations } from '../implementations.js';
import { Asker } from './asker.js';
import { report } from './findings.js';
import { fuzz, type Result, type Source } from './fuzz.js';
import { Judge } from './judge.js';
import { type FuzzOptions, readFuzzOptions, usage } from './options.js';
import { mixedOf } from './mixed.js';
import { programOf } from './programs.js';
import { Progress } from './progress.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const startLimitMs = 30_000;
const window = 64;
const mostNever = 40;

async function main(args: readonly string[]): Promise<number> {
  const options = readFuzzOptions(args);
  const implementations = chooseImplementations({
    ...options,
    run: ['model', ...options.run.filter((name) => name !== 'model')],
  });
  buildAdapters(implementations, root);
  const limits = { startMs: startLimitMs, caseMs: options.limitMs };
  const askers = implementations.map(
    ({ name, command }) =>
      // It refuses what is undefined.
      new Asker(
        { name, command: name === 'model' ? `${command} --strict` : command },
        limits,
        root,
      ),
  );
  const model = askers.find(({ name }) => name === 'model') as Asker;
  const others = askers.filter((asker) => asker !== model);
  if (!options.json) console.log(`seed ${options.seed}, ${['model', ...options.run].join(', ')}`);
  const progress = new Progress(process.stderr);
  const result = await fuzz(sourcesOf(options), {
    judge: new Judge(model, others),
    window,
    mostFindings: options.findings,
    isOver: () => progress.seconds > options.minutes * 60,
    onProgram: (done, findings) => progress.tell(shareOf(options, done, progress), done, findings),
    onFinding: (finding) => {
      progress.clear();
      if (!options.json) console.log(`${report(finding)}\n`);
    },
  });
  const faults = await Promise.all(askers.map(async (asker) => [asker.name, await asker.end()]));
  const ended = faults.filter(([, fault]) => fault !== undefined).map((fault) => fault.join(' '));
  progress.clear();
  print(options, result, ended, progress);
  return result.wrong > 0 || ended.length > 0 ? 1 : 0;
}

function* sourcesOf({ seed, first, end, replay, run }: FuzzOptions): Iterable<Source> {
  if (replay !== undefined) {
    const found = parse(readFileSync(replay, 'utf8')) as Case | Case[];
    for (const { trace: _, ...program } of Array.isArray(found) ? found : [found]) {
      yield { program: program as Case, replay: `npm run fuzz -- --replay ${replay}` };
    }
    return;
  }
  const isMixed = run.includes('native');
  for (let k = first; k < end; k++) {
    const program = isMixed ? mixedOf(seed, k) : programOf(seed, k);
    const how = isMixed ? '--run native ' : '';
    if (program === undefined) continue;
    yield { program, replay: `npm run fuzz -- ${how}--seed ${seed} --program ${k}` };
  }
}

function shareOf({ first, end, minutes }: FuzzOptions, done: number, progress: Progress): number {
  return Math.min(1, end < Infinity ? done / (end - first) : progress.seconds / 60 / minutes);
}

function print(options: FuzzOptions, result: Result, ended: string[], progress: Progress): void {
  const { programs, refused, wrong, findings } = result;
  const { reached, pairs, never } = result.coverage.summary();
  const perSecond = progress.perSecond(programs);
  const { seed } = options;
  if (options.json) {
    const told = findings.map(({ verdict, replay, times }) => ({
      wrong: verdict.wrong,
      case: { ...verdict.program, trace: verdict.trace },
      replay,
      times,
    }));
    const counts = { seed, programs, perSecond, refused: Object.fromEntries(refused), wrong };
    console.log(JSON.stringify({ ...counts, findings: told, ended, reached, pairs, never }));
    return;
  }
  for (const [why, count] of refused) console.log(`refused: ${count} (${why})`);
  console.log(`reached ${Object.keys(reached).length} forms and actions, in ${pairs} pairs`);
  if (never.length > 0) {
    const some = never.length > mostNever ? `, ${never.length - mostNever} more` : '';
    console.log(`pairs never reached: ${never.slice(0, mostNever).join(', ')}${some}`);
  }
  for (const fault of ended) console.log(fault);
  for (const { verdict, times, replay } of findings) {
    console.log(`${times} x ${verdict.wrong}: ${replay}`);
  }
  console.log(`${programs} programs, ${perSecond}/s, seed ${seed}`);
  console.log(`${programs - wrong} passed, ${wrong} failed`);
}

await mainOf(usage, main);
