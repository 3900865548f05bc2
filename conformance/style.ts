/** How rules read: each has a reason, and those of chapters in plain English have short sentences. */
import type { Rule } from './proof.js';

/** Chapters whose rules have been rewritten; add one when it is. */
export const plainChapters: readonly string[] = [
  'abi',
  'call',
  'cancel',
  'channel',
  'cleanup',
  'cpp',
  'error',
  'external',
  'flow',
  'jobs',
  'lease',
  'js',
  'loop',
  'model',
  'offload',
  'owners',
  'parallel',
  'promise',
  'results',
  'signal',
  'sync',
  'timeout',
  'tool',
  'values',
];

const longest = 25;

export function styleProblems(rules: readonly Rule[], chapters: readonly string[]): string[] {
  return rules.flatMap(({ id, place, text }) => {
    const plain = chapters.some((chapter) => place.startsWith(`spec/${chapter}.md:`));
    const long = (plain ? sentences(text) : [])
      .map((sentence) => sentence.split(/\s+/))
      .filter((words) => words.length > longest)
      .map((words) => `${place}: ${id}: a sentence of ${words.length} words: ${words.join(' ')}`);
    return /\bWhy: /.test(text) ? long : [...long, `${place}: ${id} doesn't say why`];
  });
}

/** A code span counts as one word. */
function sentences(text: string): string[] {
  const plain = text.replace(/`[^`]*`/g, 'code').replace(/\s+/g, ' ');
  return plain.split(/[.?!](?=[\s)]|$)|\bWhy: /).map((sentence) => sentence.trim());
}
