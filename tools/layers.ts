/** No file of js/src may import itself, through whatever others: types don't count, they are gone when it runs. */
import { fileURLToPath } from 'node:url';
import { readdirSync } from 'node:fs';
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

/** Files that import each other, in groups: each reaches all others of its own. */
export function circlesOf(graph: Graph): string[][] {
  const reached = new Map([...graph.keys()].map((file) => [file, from(graph, file)]));
  const groups = new Set<string>();
  for (const [file, others] of reached) {
    if (!others.has(file)) continue;
    groups.add([...others].filter((other) => reached.get(other)!.has(file)).sort().join(' ')); // prettier-ignore
  }
  return [...groups].map((group) => group.split(' '));
}

function from(graph: Graph, start: string): Set<string> {
  const seen = new Set<string>();
  const open = [...graph.get(start)!];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    open.push(...graph.get(file)!);
  }
  return seen;
}

if (import.meta.filename === process.argv[1]) {
  const graph = importsOf(`${root}js/src/`);
  const circles = circlesOf(graph);
  for (const circle of circles) console.log(`import each other: ${circle.join(', ')}`);
  console.log(`${graph.size} files, ${circles.length} circle(s)`);
  process.exitCode = circles.length;
}
