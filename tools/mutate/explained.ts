/** Mutations that change nothing a program could see: explained.yaml. Each entry is about one place, by its exact text. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Mutation } from './mutations.js';

export interface Explained {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The code line before, where the same line stands in the file twice. */
  readonly after?: string;
  readonly reason: string;
}

export function loadExplained(root: string): Explained[] {
  return parse(readFileSync(join(root, 'tools/mutate/explained.yaml'), 'utf8')) ?? [];
}

export function isExplained(mutation: Mutation, entries: readonly Explained[]): boolean {
  return entries.some((entry) => isAbout(entry, mutation));
}

/** What is wrong with the entries of a file: about no mutation any more, or about several lines. */
export function explainedProblems(
  entries: readonly Explained[],
  mutations: readonly Mutation[],
): string[] {
  return entries.flatMap((entry) => {
    const lines = mutations.filter((mutation) => isAbout(entry, mutation)).map(({ line }) => line);
    const found = new Set(lines).size;
    if (found === 1 && entry.reason) return [];
    const what = found === 1 ? 'has no reason' : `is about ${found} mutations, not 1`;
    return [`explained.yaml: ${entry.file}: ${what}: ${entry.from}  ->  ${entry.to}`];
  });
}

function isAbout({ from, to, after }: Explained, mutation: Mutation): boolean {
  return (
    from === mutation.from &&
    to === mutation.to &&
    (after === undefined || after === mutation.after)
  );
}
