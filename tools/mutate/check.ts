/** Mutates one file after the other, in several copies of the tree at once. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shuffled } from './draw.js';
import { type Explained, explainedProblems, isExplained } from './explained.js';
import type { EngineFile } from './files.js';
import type { Language } from './mask.js';
import { apply, findMutations, type Mutation } from './mutations.js';
import type { Workshop } from './workshop.js';

export interface FileResult {
  readonly file: string;
  readonly killed: number;
  readonly total: number;
  readonly survivors: readonly Mutation[];
  /** Those of explained.yaml that were drawn; they are not part of the total. */
  readonly explained: number;
  /** Entries of explained.yaml that aren't true. */
  readonly problems: readonly string[];
  readonly seconds: number;
}

export interface Plan {
  readonly lang: Language;
  readonly seed: number;
  /** So many a file, if it has so many. */
  readonly mutants: number;
  readonly explained: readonly Explained[];
  /** For each of the ways in which a mutant is tested. */
  readonly limitMs: number;
}

type Tell = (result: FileResult) => void;

export async function checkFiles(
  files: readonly EngineFile[],
  workshops: readonly Workshop[],
  plan: Plan,
  tell: Tell,
): Promise<FileResult[]> {
  const results: FileResult[] = [];
  const left = files.entries();
  const work = async (workshop: Workshop) => {
    for (const [i, file] of left) {
      const result = await checkFile(file, workshop, plan);
      results[i] = result;
      tell(result);
    }
  };
  await Promise.all(workshops.map(work));
  return results;
}

const leastLimitMs = 30_000;
const originalLimitMs = 600_000;

/**
 * What kills a mutant says nothing if it also kills what isn't mutated. Returns how long a mutant may take: 30 s, or twice what all
 * tests need on this machine now.
 */
export async function checkOriginal(
  files: readonly EngineFile[],
  workshop: Workshop,
): Promise<number> {
  const ownTests = [...new Set(files.flatMap((file) => [...file.ownTests, ...file.otherTests]))];
  const any = { ...files[0]!, ownTests, otherTests: [] };
  await workshop.build(any.file, '', readFileSync(join(workshop.tree, any.file), 'utf8'));
  let slowest = 0;
  for (const defence of workshop.defences(any, originalLimitMs)) {
    const started = performance.now();
    const failure = await defence();
    if (failure !== undefined) throw new Error(`without any mutation fails: ${failure}`);
    slowest = Math.max(slowest, performance.now() - started);
  }
  return Math.max(leastLimitMs, 2 * slowest);
}

async function checkFile(file: EngineFile, workshop: Workshop, plan: Plan): Promise<FileResult> {
  const started = performance.now();
  const path = join(workshop.tree, file.file);
  const source = readFileSync(path, 'utf8');
  const mutations = findMutations(source, plan.lang);
  const entries = plan.explained.filter((entry) => entry.file === file.file);
  const problems = explainedProblems(entries, mutations);
  const survivors: Mutation[] = [];
  let total = 0;
  let explained = 0;
  for (const mutation of shuffled(mutations, plan.seed, file.file)) {
    if (total + explained === plan.mutants) break;
    const isKnown = isExplained(mutation, entries);
    const killer = await killerOf(mutation, file, source, workshop, plan.limitMs, isKnown);
    if (killer === 'none to kill') continue;
    if (!isKnown) {
      total++;
      if (killer === undefined) survivors.push(mutation);
    } else {
      explained++;
      if (killer !== undefined)
        problems.push(`explained.yaml: ${file.file}: '${killer}' kills ${mutation.to}`);
    }
  }
  writeFileSync(path, source);
  const seconds = (performance.now() - started) / 1000;
  const killed = total - survivors.length;
  return { file: file.file, killed, total, survivors, explained, problems, seconds };
}

/** Who fails with it; undefined if nobody does. One that is explained is spared the last defence. */
async function killerOf(
  mutation: Mutation,
  file: EngineFile,
  source: string,
  workshop: Workshop,
  limitMs: number,
  isKnown: boolean,
): Promise<string | undefined> {
  const mutated = apply(source, mutation);
  if ((await workshop.build(file.file, source, mutated)) !== 'made') return 'none to kill';
  const defences = workshop.defences(file, limitMs);
  const last = defences.at(-1)!;
  for (const defence of defences.slice(0, -1)) {
    const killer = await defence();
    if (killer !== undefined) return killer;
  }
  if (isKnown) return undefined;
  return (await workshop.isSame(file.file, source, mutated)) ? 'none to kill' : await last();
}
