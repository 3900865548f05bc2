/** Takes programs through all implementations, many at a time, and shrinks what is wrong. */
import type { Program } from '../case.js';
import { Coverage } from './coverage.js';
import { type Finding, Findings } from './findings.js';
import type { Judge, Verdict } from './judge.js';
import { minimise } from './minimise.js';
import { renamed } from './renamed.js';

export interface Source {
  readonly program: Program;
  /** The command that runs it again. */
  readonly replay: string;
}

export interface Run {
  readonly judge: Judge;
  /** Programs that are asked for at the same time. */
  readonly window: number;
  readonly mostFindings: number;
  /** Stop here, though there are programs left. */
  readonly isOver: () => boolean;
  readonly onProgram: (done: number, findings: number) => void;
  readonly onFinding: (finding: Finding) => void;
}

export interface Result {
  readonly programs: number;
  readonly refused: ReadonlyMap<string, number>;
  readonly wrong: number;
  readonly findings: readonly Finding[];
  readonly coverage: Coverage;
}

/** Shrinking goes no further than this, so that one that is slow doesn't hold up the run. */
const shrinkMs = 60_000;
/** Most are the same as others; what isn't is found again. */
const shrunkOfEach = 8;
/** Candidates at the same time. */
const tried = 24;

export async function fuzz(sources: Iterable<Source>, run: Run): Promise<Result> {
  const coverage = new Coverage();
  const findings = new Findings();
  const refused = new Map<string, number>();
  const wrong: [Verdict, Source][] = [];
  const shrunk = new Map<string, number>();
  let programs = 0;
  let wrongs = 0;

  const iterator = sources[Symbol.iterator]();
  const isOver = () => run.isOver() || findings.all.length >= run.mostFindings;
  const line = async () => {
    while (!isOver() && wrong.length === 0) {
      const { done, value: source } = iterator.next();
      if (done) return;
      const verdict = await run.judge.judge(source.program);
      programs++;
      if (verdict.refused !== undefined) count(refused, verdict.refused);
      else if (verdict.trace !== undefined) coverage.add(source.program, verdict.trace);
      if (verdict.wrong !== '') wrong.push([verdict, source]);
      run.onProgram(programs, findings.all.length);
    }
  };
  for (;;) {
    await Promise.all(Array.from({ length: run.window }, line));
    if (wrong.length === 0) break;
    wrongs += wrong.length;
    for (const [verdict, { replay }] of wrong.splice(0)) {
      if (isOver() || count(shrunk, verdict.wrong) > shrunkOfEach * (findings.all.length + 1))
        continue;
      const finding = findings.add(await smallest(verdict, run.judge), replay);
      if (finding !== undefined) run.onFinding(finding);
    }
  }
  return { programs, refused, wrong: wrongs, findings: findings.all, coverage };
}

/** Shrunk alone, after a restart: what goes wrong only behind others is told as it was found. */
async function smallest(verdict: Verdict, judge: Judge): Promise<Verdict> {
  const deadline = performance.now() + shrinkMs;
  const isSame = async (candidate: Program) =>
    (await judge.judge(candidate)).wrong === verdict.wrong;
  const { program } = verdict;
  // What crashes may have been broken by a program before it.
  if (isCrash(verdict)) await judge.restart();
  if (!(await isSame(program))) return { ...verdict, wrong: `${verdict.wrong}, only after others` };
  const small = await minimise(program, isSame, {
    // What takes the process with it is tried alone: the others would have to be asked again.
    atATime: isCrash(verdict) ? 1 : tried,
    isOver: () => performance.now() > deadline,
  });
  const named = renamed(small);
  const nice = await judge.judge(named);
  return nice.wrong === verdict.wrong ? nice : judge.judge(small);
}

function isCrash({ answers }: Verdict): boolean {
  return [...answers.values()].some((answer) => 'fault' in answer && answer.broken);
}

function count(counts: Map<string, number>, key: string): number {
  const number = (counts.get(key) ?? 0) + 1;
  counts.set(key, number);
  return number;
}
