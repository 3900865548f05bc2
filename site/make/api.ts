/** The public interface of both languages, as its own tools find it: each name with its declaration and the words of its comment. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cppHovers } from '../../tools/guide/headers.js';
import { type Hover, tsHovers } from '../../tools/guide/hovers.js';
import { ownEntries } from '../../tools/package/entries.js';
import { Headers } from './headers.js';
import { root, stemOf } from './root.js';
import { Types } from './types.js';

export interface Declared {
  readonly name: string;
  /** As it's written, without what is inside; empty: it's no name that a user writes. */
  readonly code: string;
  /** Markdown without HTML. */
  readonly words: string;
  readonly members: Declared[];
}

/** What one file declares. */
export interface Module {
  /** Of the file: both languages have most of them. */
  readonly stem: string;
  readonly declared: readonly Declared[];
}

type Of<T> = (hover: Hover) => T;

/** Members stand behind what has them. */
function gathered(hovers: readonly Hover[], codeOf: Of<string>, nameOf: (own: string) => string) {
  const found: Declared[] = [];
  for (const hover of hovers) {
    const [holder, own] = hover.name.split('.') as [string, string | undefined];
    const name = nameOf(holder);
    const one = { name: own ?? name, code: codeOf(hover), words: hover.text, members: [] };
    const known = found.findLast((each) => each.name === name);
    if (own === undefined) found.push(one);
    else if (known !== undefined) known.members.push(one);
    else found.push({ name, code: '', words: '', members: [one] });
  }
  return found;
}

function modulesOf(hovers: readonly Hover[], codeOf: Of<string>, nameOf: (own: string) => string) {
  const stems = new Map<string, Hover[]>();
  for (const hover of hovers) {
    const stem = stemOf(hover.file);
    stems.set(stem, [...(stems.get(stem) ?? []), hover]);
  }
  return [...stems]
    .map(([stem, own]): Module => ({ stem, declared: gathered(own, codeOf, nameOf) }))
    .sort((a, b) => (a.stem < b.stem ? -1 : 1));
}

/** Members of what another file exports stand there. */
function joined(modules: readonly Module[]): Module[] {
  const known = new Map(
    modules.flatMap(({ declared }) =>
      declared.filter(({ code }) => code !== '').map((each) => [each.name, each] as const),
    ),
  );
  const isApart = ({ name, code }: Declared) => code === '' && known.has(name);
  for (const { declared } of modules)
    for (const each of declared.filter(isApart))
      known.get(each.name)!.members.push(...each.members);
  return modules
    .map(({ stem, declared }) => ({ stem, declared: declared.filter((each) => !isApart(each)) }))
    .filter(({ declared }) => declared.length > 0);
}

export function cppModules(): Module[] {
  const headers = new Headers(root);
  return modulesOf(
    cppHovers(root),
    ({ file, line }) => headers.codeAt(file, line - 1),
    (name) => name,
  );
}

/** What one module exports by another name than it has there. */
function exportedNames(folder: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [, list] of text.matchAll(/^export \{([^}]*)\};$/gm))
      for (const [, own, as] of list!.matchAll(/(\w+) as (\w+)/g)) names.set(own!, as!);
  }
  return names;
}

/** Of the types that the compiler has written into that folder. */
export function jsModules(folder: string): Module[] {
  const names = exportedNames(folder);
  const types = new Types(folder);
  const modules = modulesOf(
    tsHovers(folder, ownEntries),
    ({ file, line }) => types.codeAt(file.replace(/^.*\/(\w+)\.ts$/, '$1.d.ts'), line - 1),
    (name) => names.get(name) ?? name,
  );
  return joined(modules);
}
