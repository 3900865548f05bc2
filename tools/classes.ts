/** Classes of C++ that have one name in one namespace: each translation unit compiles, and the program isn't what either says. */
import { readFileSync } from 'node:fs';

const opens = /^(?:inline )?namespace ?([\w:]*) ?\{$/;
const closes = /^\} {2}\/\/ namespace/;
const defines =
  /^(?:class|struct|union|enum class)(?: \[\[\w+\]\]| STEPTREE_[A-Z]+)* ([A-Z]\w*)(?!\w|<|::)[^:;<]*(?::[^;]*)?\{/;
/** One of a single declaration has no comment behind its end. */
const short = /^((?:inline )?namespace ?[\w:]* ?\{\n(?:[^{}]*|.*[;}])\n\})$/gm;
const heads = /^(?:class|struct|union|enum class) [^;{]*\{/gm;

/** The classes that a file defines, with their namespaces; those of the file alone are left out. */
export function classesIn(text: string): string[] {
  const within: string[] = [];
  const found: string[] = [];
  const lines = text
    .replace(short, '$1  // namespace')
    .replace(heads, (head) => head.replace(/\s+/g, ' '));
  for (const line of lines.split('\n')) {
    const namespace = opens.exec(line)?.[1];
    if (namespace !== undefined) within.push(namespace);
    else if (closes.test(line)) within.pop();
    const name = defines.exec(line)?.[1];
    if (name !== undefined && !within.includes('')) found.push([...within, name].join('::'));
  }
  return found;
}

export function classesTwice(root: string, files: readonly string[]): string[] {
  const places = new Map<string, string[]>();
  for (const file of files.filter((name) => /^cpp\/(?:include|src|inspector|pool)\//.test(name)))
    for (const name of classesIn(readFileSync(root + file, 'utf8')))
      places.set(name, [...(places.get(name) ?? []), file]);
  return [...places]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => `${name}: ${all.join(', ')}`);
}
