/** Reads cases: conformance/cases/<chapter>.yaml or <chapter>-<topic>.yaml, and the ```yaml case blocks of spec/*.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { Case, LoadedCase, LoadedSuite } from './case.js';
import { namesProblems } from './names.js';
import { schemaProblems } from './schema.js';

interface Source {
  readonly chapter: string;
  readonly file: string;
  readonly text: string;
  /** Lines of the file before this text. */
  readonly offset: number;
}

export function loadSuite(root: string): LoadedSuite {
  const cases: LoadedCase[] = [];
  const problems: string[] = [];
  for (const source of [...caseFiles(root), ...specBlocks(root)]) {
    readSource(source, cases, problems);
  }
  return { cases, problems: [...problems, ...duplicates(cases)] };
}

function caseFiles(root: string): Source[] {
  return filesIn(root, 'conformance/cases', '.yaml').map(({ file, text }) => ({
    chapter: basename(file, extname(file)).split('-')[0]!,
    file,
    text,
    offset: 0,
  }));
}

function specBlocks(root: string): Source[] {
  return filesIn(root, 'spec', '.md').flatMap(({ file, text }) =>
    [...text.matchAll(/^```yaml case\r?\n([\s\S]*?)^```/gm)].map((block) => ({
      chapter: basename(file, '.md'),
      file,
      text: block[1] as string,
      offset: text.slice(0, block.index).split('\n').length,
    })),
  );
}

function filesIn(root: string, folder: string, extension: string) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => extname(name) === extension)
    .sort()
    .map((name) => ({
      file: relative(root, join(path, name)),
      text: readFileSync(join(path, name), 'utf8'),
    }));
}

function readSource(source: Source, cases: LoadedCase[], problems: string[]): void {
  const lines = new LineCounter();
  const document = parseDocument(source.text, { lineCounter: lines });
  const lineAt = (offset: number) => source.offset + lines.linePos(offset).line;
  for (const error of document.errors) {
    problems.push(`${source.file}:${lineAt(error.pos[0])}: ${error.message.split('\n')[0]}`);
  }
  if (document.errors.length > 0 || document.contents === null) return;
  const items = isSeq(document.contents) ? document.contents.items : [document.contents];
  for (const item of items as Node[]) {
    const line = lineAt(item.range?.[0] ?? 0);
    const program = item.toJS(document) as Case;
    const found = schemaProblems(program);
    if (found.length === 0) found.push(...namesProblems(program));
    const title = typeof program?.case === 'string' ? `"${program.case}": ` : '';
    problems.push(...found.map((text) => `${source.file}:${line}: ${title}${text}`));
    if (found.length === 0) {
      cases.push({ chapter: source.chapter, file: source.file, line, program });
    }
  }
}

function duplicates(cases: readonly LoadedCase[]): string[] {
  const first = new Map<string, LoadedCase>();
  const problems: string[] = [];
  for (const found of cases) {
    const other = first.get(found.program.case);
    if (other === undefined) first.set(found.program.case, found);
    else {
      problems.push(
        `${found.file}:${found.line}: "${found.program.case}": the name is taken at ${other.file}:${other.line}`,
      );
    }
  }
  return problems;
}
