/** What is mutated: the stems of the table in spec/README.md, and the chapters and unit tests that are about each. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from './mask.js';

export interface EngineFile {
  readonly file: string;
  readonly stem: string;
  readonly chapters: readonly string[];
  /** Files of unit tests that are named after it, or after its chapters and other stems of these. */
  readonly ownTests: readonly string[];
  /** All others that are quick. */
  readonly otherTests: readonly string[];
}

interface Row {
  readonly chapter: string;
  readonly stems: readonly string[];
}

/** Tests that take long: nobody waits for them but the files that they are named after, or stand for. */
const slow = {
  js: /^(?:depth|mapdepth|memory|process|chains|article|types|race|mutex|channel|cleanup|throttle|timers|retry|asynctool|parallel|sync|rwlock|kept|pool)$/,
  cpp: /^(?:guards|channel|mempool|pool\w+|threadpool|futuredeep|competing|coroutinememory)$/,
} as const;
const standsFor: Readonly<Record<string, readonly string[]>> = {
  process: ['report', 'asynctool', 'toolcore'],
  asynctool: ['clock', 'toolcore'],
  cleanup: ['cancel', 'closing'],
  kept: ['error'],
  memory: ['end', 'tree', 'error', 'step', 'latch'],
  guards: ['holds'],
  mempool: ['tool'],
  coroutinememory: ['coroutine'],
  foreignflow: ['rootflow', 'asyncsteps', 'nitrosteps'],
  competing: ['completion', 'away', 'slots', 'toolcore'],
  deep: ['tree', 'unwind', 'cancel'],
  longmap: ['map'],
};
const sources = { js: ['js/src', '.ts'], cpp: ['cpp/src', '.cpp'] } as const;
const suites = {
  js: ['js/test', /^(\w+)\.test\.ts$/],
  cpp: ['cpp/test', /^([a-z]+)(?:_thread)?_test\.cpp$/],
} as const;

export function engineFiles(root: string, lang: Language): EngineFile[] {
  const rows = readRows(readFileSync(join(root, 'spec/README.md'), 'utf8'), lang);
  const [folder, extension] = sources[lang];
  const stems = [...new Set(rows.flatMap((row) => row.stems))];
  const tests = testsOf(root, lang);
  return stems
    .map((stem) => ({ stem, file: `${folder}/${stem}${extension}` }))
    .filter(({ file }) => existsSync(join(root, file)))
    .map(({ stem, file }) => {
      const rowsOf = rows.filter((row) => row.stems.includes(stem));
      const chapters = rowsOf.map(({ chapter }) => chapter);
      const related = [...chapters, ...rowsOf.flatMap((row) => row.stems)];
      const isOwn = (about: string) => about === stem || standsFor[about]?.includes(stem);
      const quick = tests.filter(({ about }) => !slow[lang].test(about));
      const own = [
        ...tests.filter(({ about }) => isOwn(about)),
        ...quick.filter(({ about }) => related.includes(about)),
      ];
      const ownTests = [...new Set(own.map(({ test }) => test))];
      const all = quick.map(({ test }) => test);
      const otherTests = all.filter((test) => !ownTests.includes(test));
      return { file, stem, chapters, ownTests, otherTests };
    });
}

function readRows(text: string, lang: Language): Row[] {
  return text.split('\n').flatMap((line) => {
    const [, chapter, ...columns] = line.split('|').map((cell) => cell.trim());
    const name = /^\[(\w+)\]\(\1\.md\)$/.exec(chapter ?? '')?.[1];
    if (name === undefined) return [];
    const cells = `${columns[1]} ${columns[lang === 'js' ? 2 : 3]}`;
    return [{ chapter: name, stems: [...cells.matchAll(/`(\w+)`/g)].map((found) => found[1]!) }];
  });
}

function testsOf(root: string, lang: Language): { test: string; about: string }[] {
  const [folder, pattern] = suites[lang];
  return readdirSync(join(root, folder)).flatMap((name) => {
    const about = pattern.exec(name)?.[1];
    return about === undefined ? [] : [{ test: `${folder}/${name}`, about }];
  });
}
