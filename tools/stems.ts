/** Functions that both languages have under one name stand in files of one stem: whoever knows one half finds them in the other. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

type Places = ReadonlyMap<string, ReadonlySet<string>>;

const jsFunction = /^(?:export )?(?:async )?function\*? (\w+)/gm;
/** A function outside of classes, with its body: what it returns, its name, its parameters. */
const cppFunction =
  /^(?!using|return|namespace|class|struct|enum|static_assert|template|typedef|#|\/\/|\})(?:\[\[[^\]]*\]\] )*[\w:<>,&*][\w:<>,&* ]*?[ &*](\w+)\([^;{]*?\)[^;{}]*\{/gm;

/** Names that stand apart, or mean different things, and have to. At most ten. */
const homonyms = new Set<string>([
  'append', // to a level; to a list of futures
  'checkDelay', // C++: beside what it throws
  'describe', // any value; an error
  'follow', // a thenable; a future
  'forgetUndo', // C++: what it forgets stands in a list of extras
  'isAgain', // C++: what knows an exception is `error`
  'misuse', // C++: in a header without anything else
]);
const mostHomonyms = 10;

/** In which stems the functions stand that the files define. */
function placesOf(files: readonly string[], definition: RegExp): Places {
  const places = new Map<string, Set<string>>();
  for (const file of files) {
    const stem = basename(file).replace(/\.\w+$/, '');
    for (const [text, name] of readFileSync(file, 'utf8').matchAll(definition)) {
      if (text.includes('\n\n')) continue;
      const stems = places.get(name!) ?? new Set();
      places.set(name!, stems.add(stem));
    }
  }
  return places;
}

/** What each such function is, and where it stands. */
export function strays(js: Places, cpp: Places, known: ReadonlySet<string> = homonyms): string[] {
  const apart = [...js].filter(([name, stems]) => {
    const others = cpp.get(name);
    return others !== undefined && ![...stems].some((stem) => others.has(stem));
  });
  const names = new Set(apart.map(([name]) => name));
  return [
    ...apart
      .filter(([name]) => !known.has(name))
      .map(([name, stems]) => `${name}: ${[...stems]} in JS, ${[...cpp.get(name)!]} in C++`),
    ...[...known].filter((name) => !names.has(name)).map((name) => `${name}: is no homonym`),
    ...(known.size > mostHomonyms ? [`${known.size} homonyms`] : []),
  ];
}

export function strayFunctions(root: string, files: readonly string[]): string[] {
  const under = (pattern: RegExp) =>
    files.filter((file) => pattern.test(file)).map((f) => root + f);
  return strays(
    placesOf(under(/^js\/src\/.*\.ts$/), jsFunction),
    // plugin.hpp is no half of anything: another C++, on top of the C interface.
    placesOf(under(/^cpp\/(?:src|include)\/(?!steptree\/plugin\.hpp).*\.[ch]pp$/), cppFunction),
  );
}

/** Files that the table of spec/README.md doesn't name, or names in a column where they aren't. */
export function againstTable(
  readme: string,
  js: ReadonlySet<string>,
  cpp: ReadonlySet<string>,
): string[] {
  const rows = readme.split('\n').filter((line) => /^\| \[/.test(line));
  const named = (column: number) =>
    new Set(rows.flatMap((row) => row.split('|')[column]!.match(/(?<=`)\w+(?=`)/g) ?? []));
  const [both, onlyJs, onlyCpp] = [named(3), named(4), named(5)];
  const faults = (
    stems: ReadonlySet<string>,
    others: ReadonlySet<string>,
    only: Set<string>,
    where: string,
  ) => [
    ...[...stems]
      .filter((stem) => !(others.has(stem) ? both : only).has(stem))
      .map((stem) => `${where}/${stem} isn't where it belongs in the table`),
    ...[...only, ...both]
      .filter((stem) => !stems.has(stem))
      .map((stem) => `the table has ${stem}, ${where} has not`),
  ];
  return [...faults(js, cpp, onlyJs, 'js/src'), ...faults(cpp, js, onlyCpp, 'cpp/src')];
}

export function staleTable(root: string, files: readonly string[]): string[] {
  const stems = (pattern: RegExp) =>
    new Set(
      files.filter((file) => pattern.test(file)).map((file) => basename(file).split('.')[0]!),
    );
  return againstTable(
    readFileSync(`${root}spec/README.md`, 'utf8'),
    stems(/^js\/src\/.*\.ts$/),
    stems(/^cpp\/src\/.*\.[ch]pp$/),
  );
}
