import type { LoadedCase } from '../../conformance/case.js';

/** The cases of the given chapters first. */
export function inOrder(cases: readonly LoadedCase[], chapters: readonly string[]): LoadedCase[] {
  const own = cases.filter(({ chapter }) => chapters.includes(chapter));
  return [...own, ...cases.filter(({ chapter }) => !chapters.includes(chapter))];
}
