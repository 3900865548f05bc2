/**
 * Files of js/src import each other in one order, so none imports itself. Types don't count: they are gone when it runs. But the engine
 * knows no kind of steps by name, not even as a type.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

type Graph = ReadonlyMap<string, readonly string[]>;

const root = fileURLToPath(new URL('..', import.meta.url));

/** What each file of a folder imports when it's loaded. */
export function importsOf(folder: string): Graph {
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: readdirSync(folder).map((name) => folder + name),
    outdir: 'build/layers',
    bundle: true,
    format: 'esm',
    metafile: true,
    packages: 'external',
    write: false,
    logLevel: 'error',
  });
  const { inputs } = metafile!;
  return new Map(
    Object.entries(inputs).map(([file, { imports }]) => [
      file,
      imports.filter(({ external }) => !external).map(({ path }) => path),
    ]),
  );
}

function rowsOf(index: string): { row: string; stems: string[] }[] {
  return [...index.matchAll(/^\/\/ {5}(\w+) +(.*)$/gm)].map(([, row, stems]) => {
    return { row: row!, stems: stems!.split(' ') };
  });
}

/** Files of the rows below `kinds` that import one of that row, be it a type. */
export function namingKinds(folder: string, index: string): string[] {
  const rows = rowsOf(index);
  const place = rows.findIndex(({ row }) => row === 'kinds');
  const kinds = rows[place]!.stems.map((stem) => `'./${stem}.js'`);
  return rows.slice(0, place).flatMap(({ stems }) =>
    stems.flatMap((stem) => {
      const source = readFileSync(`${folder}${stem}.ts`, 'utf8');
      return kinds.filter((kind) => source.includes(kind)).map((kind) => `${stem}: ${kind}`);
    }),
  );
}

/** Imports that go up in the list of files at the top of `index.ts`, and files that it doesn't name. */
export function againstOrder(graph: Graph, index: string): string[] {
  const list = rowsOf(index).flatMap(({ stems }) => stems);
  const place = new Map(list.map((stem, i) => [`js/src/${stem}.ts`, i]));
  return [...graph].flatMap(([file, imports]) => {
    const own = place.get(file);
    if (own === undefined) return [`${file} isn't in the list`];
    return imports
      .filter((other) => !(place.get(other)! < own))
      .map((other) => `${file}: ${other}`);
  });
}

if (import.meta.filename === process.argv[1]) {
  const graph = importsOf(`${root}js/src/`);
  const index = readFileSync(`${root}js/src/index.ts`, 'utf8');
  const faults = [...againstOrder(graph, index), ...namingKinds(`${root}js/src/`, index)];
  for (const fault of faults) console.log(fault);
  console.log(`${graph.size} files, ${faults.length} fault(s)`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
