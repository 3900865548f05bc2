/**
 * What an editor shows of the public interface: the comments of all that `steptree`, `steptree/otel` and `steptree/pool` export, as the package declares it.
 * They are found by layout, which the compiler decides. Those of C++ are in `headers.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Hover {
  /** Of the declaration. */
  readonly file: string;
  readonly line: number;
  /** As in `Mutex.places`. */
  readonly name: string;
  /** A function or a class: it has a page in the guide, and an example. */
  readonly leads: boolean;
  /** Empty: there is none. */
  readonly text: string;
}

const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n');

type Place = readonly [module: string, name: string];

/** Of each name that a module exports: which module declares it, and how it's called there. */
function exportsOf(folder: string, module: string): Map<string, Place> {
  const text = readFileSync(join(folder, `${module}.d.ts`), 'utf8');
  const imported = new Map<string, Place>();
  const found = new Map<string, Place>();
  for (const [, name] of text.matchAll(
    /^export (?:declare |abstract )*(?:class|const|function|interface|type) (\w+)/gm,
  ))
    found.set(name!, [module, name!]);
  for (const [, verb, names, from = module] of text.matchAll(
    /^(export|import)(?: type)? \{([^}]*)\}(?: from '\.\/(\w+)\.js')?;/gm,
  )) {
    for (const [, own, as = own] of names!.matchAll(/(?:type )?(\w+)(?: as (\w+))?,?/g))
      (verb === 'import' ? imported : found).set(as!, [from, own!]);
  }
  for (const [, from] of text.matchAll(/^export type \* from '\.\/(\w+)\.js';/gm))
    for (const [name, at] of exportsOf(folder, from!)) found.set(name, at);
  for (const [name, [from, own]] of found)
    if (from !== module) found.set(name, exportsOf(folder, from).get(own)!);
  return found;
}

export const exportedBy = (folder: string, module: string): string[] => [
  ...exportsOf(folder, module).keys(),
];

/** The comment whose last line that is. */
function commentAt(lines: readonly string[], last: number): string {
  if (!/\*\/$/.test(lines[last] ?? '')) return '';
  let first = last;
  while (!/^ *\/\*\*/.test(lines[first]!)) first--;
  const text = lines.slice(first, last + 1).map((line) => line.replace(/^ *(?:\/\*\*|\*) ?/, ''));
  return text
    .join('\n')
    .replace(/ ?\*\/$/, '')
    .trim();
}

const kinds = /^(?:export )?(?:declare )?(?:abstract )?(class|function|interface|type|const) (\w+)/;
const member = /^ {4}(?:(?:readonly|abstract|static|get|set) )*(\[[\w.: ]+\]|[\w']+|(?=[(<]))/;

/** Of a member: nobody uses it, or there's nothing in it. */
const unseen = /^ {4}(?:#|private|protected|\[key: string\]|forEach: ForEach<)|\?: undefined;$/;

/** The hovers of what a module declares by that name. */
function declared(folder: string, [module, name]: Place): Hover[] {
  const path = join(folder, `${module}.d.ts`);
  const file = `js/src/${module}.ts`;
  const lines = linesOf(path);
  const hovers: Hover[] = [];
  for (const [i, line] of lines.entries()) {
    const [, kind, is] = kinds.exec(line) ?? [];
    if (is !== name) continue;
    const leads = (kind === 'class' && /^export/.test(line)) || kind === 'function';
    hovers.push({ file, line: i + 1, name, leads, text: commentAt(lines, i - 1) });
    if (kind === 'function' || kind === 'type' || !/\{$/.test(line)) continue;
    for (let at = i + 1; !/^\}/.test(lines[at]!); at++) {
      const [, own] = member.exec(lines[at]!) ?? [];
      if (own === undefined || unseen.test(lines[at]!)) continue;
      const text = commentAt(lines, at - 1);
      hovers.push({ file, line: at + 1, name: `${name}.${own}`, leads: false, text });
    }
  }
  return hovers;
}

/** Of each class and interface: what it extends and implements. */
function bases(folder: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of readdirSync(folder).filter((name) => /\.d\.ts$/.test(name)))
    for (const [, name, after] of readFileSync(join(folder, file), 'utf8').matchAll(
      /^[a-z ]*(?:class|interface) (\w+)[^\n]*? (?:extends|implements) ([^\n]*)\{$/gm,
    )) {
      const of = after!.replaceAll(/<[^<>]*>/g, '').match(/\b(?!implements)\w+/g)!;
      found.set(name!, [...(found.get(name!) ?? []), ...of]);
    }
  return found;
}

/** Overloads of a name are one: an editor shows the first's comment where another has none. So it is with what a base has said. */
export function tsHovers(folder: string, modules: readonly string[]): Hover[] {
  const all = modules.flatMap((module) => [...exportsOf(folder, module).values()]);
  const more: Place[] = [
    ['accessor', 'Adder'],
    ['asynctool', 'AsyncTool'],
    ['iasyncsteps', 'ForEach'],
    ['asyncsteps', 'AsyncSteps'],
    ['state', 'State'],
    ['toolcore', 'ToolCore'],
    ['virtualtool', 'VirtualTool'],
  ];
  const hovers = new Map<string, Hover>();
  for (const place of [...all, ...more])
    for (const hover of declared(folder, place)) {
      if (more.includes(place) && hover.name === place[1]) continue; // an exported name stands for it
      const key = `${hover.file} ${hover.name}`;
      if ((hovers.get(key)?.text ?? '') === '') hovers.set(key, hover);
    }
  const above = bases(folder);
  const said = new Set([...hovers.values()].filter(({ text }) => text).map(({ name }) => name));
  const isSaid = (of: string, own: string): boolean =>
    said.has(`${of}.${own}`) || (above.get(of) ?? []).some((base) => isSaid(base, own));
  return [...hovers.values()].filter(({ name, text }) => {
    const [, of, own] = /^(\w+)\.(.*)$/.exec(name) ?? [];
    return text !== '' || own === undefined || !isSaid(of!, own);
  });
}

/** The indented lines of a comment, a part for each block of them. */
export function examplesOf({ text }: Hover): string[] {
  const blocks = text
    .split(/\n(?! {4}|\n)/)
    .flatMap((part) => /^ {4}[\s\S]*/m.exec(`\n${part}`)?.[0] ?? []);
  return blocks.map((block) => block.replaceAll(/^ {4}/gm, '').trim());
}

/** What isn't right with a comment. */
export function faults(
  hover: Hover,
  headings: (page: string) => readonly string[] | undefined,
): string[] {
  const { text, leads } = hover;
  const found = [];
  if (text === '') return [`${hover.file}: ${hover.name} has no comment`];
  const rule =
    /\b(?:cancel|channel|cleanup|cpp|error|external|flow|js|loop|model|offload|owners|parallel|promise|results|signal|sync|timeout|tool|values)-\d+\b/.exec(
      text,
    );
  if (rule !== null) found.push(`names the rule ${rule[0]}`);
  for (const [, page, anchor] of text.matchAll(/\bGuide:\s+docs\/([\w/-]+\.md)(?:#([\w-]+))?/g)) {
    const known = headings(page!);
    if (known === undefined || (anchor !== undefined && !known.includes(anchor)))
      found.push(
        `leads to docs/${page}${anchor === undefined ? '' : `#${anchor}`}, which isn't there`,
      );
  }
  if (leads && !/\bGuide:\s/.test(text)) found.push('leads to no page of the guide');
  if (leads && examplesOf(hover).length === 0) found.push('has no example');
  return found.map((fault) => `${hover.file}: ${hover.name} ${fault}`);
}
