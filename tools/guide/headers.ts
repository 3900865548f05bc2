/** The comments of the public headers, found by the layout that clang-format gives them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Hover } from './hovers.js';

/** What of `detail` users see: by another name, or as what a public class inherits. */
const seen =
  /^using (?:\w+ = detail::(\w+)<|detail::standalone::(\w+);)|^class .*public detail::(\w*Adders|Combinators)</gm;
const folders = ['', 'boost/', 'detail/'];

export function cppHovers(root: string): Hover[] {
  const include = join(root, 'cpp/include/steptree');
  const files = folders
    .flatMap((folder) => readdirSync(join(include, folder)).map((name) => folder + name))
    .filter((name) => /\.[hi]pp$/.test(name));
  const texts = files.map((name) => readFileSync(join(include, name), 'utf8'));
  const open = texts.filter((_, i) => !files[i]!.startsWith('detail/')).join('');
  const names = new Set([...open.matchAll(seen)].map(([, a, b, c]) => a ?? b ?? c!));
  for (const name of ['BranchAdders', 'BreakerState', 'KeyedGuard', 'ThrottleAlgorithm'])
    names.add(name);
  return files.flatMap((name, i) => {
    const isDetail = /^detail/.test(name);
    const isSeen = (space: string, what: string) =>
      names.has(what) || !(isDetail || /detail/.test(space));
    return hoversOf(relative(root, join(include, name)), texts[i]!.split('\n'), isSeen);
  });
}

interface Declaration {
  /** Its last line, or that of its head. */
  readonly end: number;
  readonly code: string;
  readonly kind: string | undefined;
  readonly name: string;
  readonly text: string;
}

/** Without what stands in brackets behind a word. */
function without(word: string, code: string, [left, right]: string): string {
  if (!code.startsWith(word + left)) return code;
  let depth = 0;
  let at = word.length;
  do {
    if (code[at] === left) depth++;
    if (code[at] === right && code[at - 1] !== '-') depth--;
    at++;
  } while (depth > 0);
  return code.slice(at).trim();
}

const types =
  /^(class|struct|enum class|concept|using) (?:\[\[\w+\]\] )?(?:STEPTREE_[A-Z_]+ )?(\w+)/;

function declarationAt(lines: readonly string[], first: number, indent: number): Declaration {
  let end = first;
  while (!/[;{]/.test(lines[end]!.replace(/\/\/.*|\{\}/g, '')) && end < lines.length - 1) end++;
  const head = lines.slice(first, end + 1).map((line) => line.trim());
  let code = without('template ', head.join(' '), '<>');
  code = without('requires', without('requires ', code, '()'), '()');
  code = code.replace(/^\[\[.*?\]\] /, '');
  const [, kind, type] = types.exec(code) ?? [];
  const [, call, value = '?'] = /(\w+)\(|(\w+)(?: =|\{|;)/.exec(code) ?? [];
  let from = first;
  while (lines[from - 1]?.startsWith(`${' '.repeat(indent)}///`)) from--;
  const above = lines.slice(from, first).map((line) => line.replace(/^ *\/\/\/ ?/, ''));
  const [, behind] = /\/\/\/< (.*)$/.exec(lines[end]!) ?? [];
  return { end, code, kind, name: type ?? call ?? value, text: behind ?? above.join('\n') };
}

const nothing = /^(?:[#})]|\/\/|namespace|extern|template class|friend|static_assert|$)/;
const unnamed =
  /= (?:delete|default);|~|operator|^[^(]*>?::\w+\(|^\w+\(\w+&&\.*\) ->|^\w+ \w+;$|^using [\w:]+;|^class \w+::|^struct \w+::/;

/** What a user may name. Copies, destructors, operators and definitions apart need no words. */
function hoversOf(
  file: string,
  lines: readonly string[],
  isSeen: (space: string, name: string) => boolean,
): Hover[] {
  const hovers: Hover[] = [];
  const spaces: string[] = [];
  let inside = ''; // the class whose members these are
  let isOpen = true;
  let isBody = false; // of a function that users don't look into
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    const indent = inside === '' ? 0 : 4;
    if (/^\}[^;]*$/.test(line) && inside === '') {
      if (isBody) isBody = false;
      else spaces.pop();
    }
    if (/^\};/.test(line)) {
      inside = '';
      isOpen = true;
    }
    if (/^namespace/.test(line)) spaces.push(line);
    if (/^ {2}\w+:$/.test(line)) isOpen = /public/.test(line);
    if (!/^ *$/.test(line.slice(0, indent)) || /^ /.test(line.slice(indent))) continue;
    if (nothing.test(line.slice(indent))) continue;
    const { end, code, kind, name, text } = declarationAt(lines, i, indent);
    const isType = kind === 'class' || kind === 'struct';
    const isLong = /\{$/.test(lines[end]!);
    if (isOpen && isSeen(spaces.join(' '), inside || name) && !unnamed.test(code)) {
      const isCall = kind === undefined && /\w\(/.test(code);
      const leads = inside === '' && (isCall || kind === 'class') && !/^The same/.test(text);
      const full = inside === '' ? name : `${inside}.${name}`;
      const needs = inside === '' || (isCall && name !== inside && hovers.at(-1)?.name !== full);
      if (needs || text !== '') hovers.push({ file, line: i + 1, name: full, leads, text });
    }
    if (inside === '' && isLong && isType) {
      inside = name;
      isOpen = kind === 'struct';
    } else if (inside === '' && isLong) {
      isBody = kind === undefined;
    }
    i = end;
  }
  return hovers;
}
