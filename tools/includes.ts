/** Headers that include each other, whichever way round: whoever reads one has to read all of them at once. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** For each file the files that it includes by name, where they are among `files`. */
function includesOf(root: string, files: readonly string[]): Map<string, string[]> {
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const names = [...text.matchAll(/^#include ["<]([^">]+)[">]/gm)].map(([, name]) => name!);
      const places = names.flatMap((name) => [
        join(dirname(file), name),
        join('cpp/include', name),
        join('cpp/src', name),
      ]);
      return [file, places.filter((place) => known.has(place))];
    }),
  );
}

/** The circles of a graph, each as the way from a node back to it. */
export function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (node: string): void => {
    if (way.includes(node)) circles.push([...way.slice(way.indexOf(node)), node]);
    if (done.has(node)) return;
    done.add(node);
    way.push(node);
    for (const next of graph.get(node) ?? []) visit(next);
    way.pop();
  };
  for (const node of graph.keys()) visit(node);
  return circles;
}

export function includeCircles(root: string, files: readonly string[]): string[] {
  const sources = files.filter((file) =>
    /^cpp\/(?:include|inspector|pool|src)\/.*\.[chi]pp$/.test(file),
  );
  return circlesOf(includesOf(root, sources)).map((circle) => circle.join(' includes '));
}
