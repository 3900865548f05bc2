/** The rules of spec/, and what proves each: cases, or tests named in proofs.yaml. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parse } from 'yaml';
import type { LoadedCase } from './case.js';

export type Language = 'js' | 'cpp' | 'c';

export interface Rule {
  readonly id: string;
  readonly place: string;
  readonly text: string;
  /** The languages that it binds. */
  readonly binds: readonly Language[];
}

/** Proof of a rule that data can't show: a title or titles of tests, by language. */
export type TestProof = Readonly<Partial<Record<Language, string | readonly string[]>>>;

export interface Titles {
  readonly js: ReadonlySet<string>;
  readonly cpp: ReadonlySet<string>;
  readonly c: ReadonlySet<string>;
}

const languages: readonly Language[] = ['js', 'cpp', 'c'];
/** Those that a rule binds which doesn't say so. */
const both: readonly Language[] = ['js', 'cpp'];
/** Chapters about one language. */
const own: Readonly<Record<string, Language>> = { js: 'js', cpp: 'cpp', abi: 'c' };

/** Rules are list items `- **chapter-7** …` of spec/<chapter>.md; those that bind one language only may stand in spec/cpp.md or spec/js.md. */
export function readRules(root: string): { rules: Rule[]; problems: string[] } {
  const rules: Rule[] = [];
  const problems: string[] = [];
  for (const file of filesUnder(join(root, 'spec'), /\.md$/)) {
    const chapter = basename(file, '.md');
    const text = readFileSync(file, 'utf8');
    for (const item of text.matchAll(/^- \*\*([a-z]+-\d+)\*\*(.*(?:\n(?!- |#|```).*\S.*)*)/gm)) {
      const [, id = '', body = ''] = item;
      const line = text.slice(0, item.index).split('\n').length;
      const heading =
        text
          .slice(0, item.index)
          .match(/^##.*$/gm)
          ?.at(-1) ?? '';
      const place = `${relative(root, file)}:${line}`;
      const language = own[chapter];
      const binds = language === undefined ? bound(heading, body) : [language];
      const rule = { id, place, text: body, binds };
      problems.push(...faultsOfRule(rule, chapter, rules));
      rules.push(rule);
    }
  }
  return { rules, problems };
}

/** "JS:" or "In JS" at its beginning, or JS in the heading above it: it binds JS only. So for C++. */
function bound(heading: string, text: string): readonly Language[] {
  const start = text.trimStart();
  if (/^(In )?C\+\+/.test(start) || heading.includes('C++')) return ['cpp'];
  if (/^(In )?JS\b/.test(start) || /\bJS\b/.test(heading)) return ['js'];
  return both;
}

function faultsOfRule({ id, place, text }: Rule, chapter: string, before: readonly Rule[]) {
  const problems: string[] = [];
  const musts = text.match(/\bMUST\b/g)?.length ?? 0;
  const twin = before.find((rule) => rule.id === id);
  if (musts !== 1) problems.push(`${place}: ${id} has ${musts} MUST, a rule has one`);
  if (twin !== undefined) problems.push(`${place}: ${id} stands at ${twin.place} already`);
  const ofALanguage = chapter === 'js' || chapter === 'cpp';
  if (!ofALanguage && !id.startsWith(`${chapter}-`)) {
    problems.push(`${place}: ${id} is no rule of ${chapter}`);
  }
  return problems;
}

export function readProofs(path: string): Record<string, TestProof> {
  return existsSync(path) ? (parse(readFileSync(path, 'utf8')) ?? {}) : {};
}

/** Titles of the tests in js/test, js/redis, cpp/test and cpp/cabi/test, those of nested sections too. */
export function readTitles(root: string): Titles {
  return {
    js: new Set(
      ['js/test', 'js/redis'].flatMap((folder) => [
        ...titlesIn(join(root, folder), /\.ts$/, /\b(?:it|describe)\(\s*(['"`])(.*?)\1/g, 2),
      ]),
    ),
    cpp: titlesIn(
      join(root, 'cpp/test'),
      /\.(?:cpp|hpp)$/,
      /\b(?:TEST_CASE|TEMPLATE_TEST_CASE|SECTION)\(\s*"((?:[^"\\]|\\.)*)"/g,
      1,
    ),
    c: titlesIn(join(root, 'cpp/cabi/test'), /\.c$/, /\bTEST\(\s*"((?:[^"\\]|\\.)*)"/g, 1),
  };
}

function titlesIn(folder: string, names: RegExp, title: RegExp, group: number): Set<string> {
  const texts = filesUnder(folder, names).map((file) => readFileSync(file, 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(title)].map((m) => m[group] as string)));
}

function filesUnder(folder: string, names: RegExp): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => names.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** What is missing or names nothing, one text a finding. */
export function proofProblems(
  rules: readonly Rule[],
  cases: readonly LoadedCase[],
  proofs: Readonly<Record<string, TestProof>>,
  titles: Titles,
): string[] {
  const known = new Set(rules.map(({ id }) => id));
  const byCase = new Set(cases.flatMap(({ program }) => program.rules));
  const strayCases = cases.flatMap(({ file, line, program }) =>
    program.rules
      .filter((id) => !known.has(id))
      .map((id) => `${file}:${line}: "${program.case}" names ${id}, which is no rule`),
  );
  const strayProofs = Object.entries(proofs).flatMap(([id, proof]) => {
    const rule = rules.find((candidate) => candidate.id === id);
    return rule ? faultsOfProof(rule, proof, titles) : [`proofs.yaml: ${id} is no rule`];
  });
  const unproven = rules
    .filter(({ id }) => !byCase.has(id) && !(id in proofs))
    .map(({ id, place }) => `${place}: ${id} has no proof: no case names it, nor does proofs.yaml`);
  return [...unproven, ...strayCases, ...strayProofs];
}

function faultsOfProof({ id, binds }: Rule, proof: TestProof, titles: Titles): string[] {
  const absent = binds
    .filter((language) => proof[language] === undefined)
    .map((language) => `proofs.yaml: ${id} binds ${language} too, but names no test of it`);
  const unknown = languages.flatMap((language) =>
    [proof[language] ?? []]
      .flat()
      .filter((title) => !titles[language].has(title))
      .map((title) => `proofs.yaml: ${id}: no test in ${language} is called "${title}"`),
  );
  return [...absent, ...unknown];
}
