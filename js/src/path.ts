// The way to a step as text. A deep one is the end of it, joined to what all errors below some step share: so errors of each of n
// levels take the memory of n, and not of n * n.

import type { HostedLine } from './kind.js';
import { BRANCH, DEFERRED, HIDDEN, NUMBERED } from './phase.js';
import { kindOf, type Step } from './step.js';
import type { Line } from './tree.js';

/** So many elements share nothing. */
const FLAT = 32;
/** From root to root. */
const SPAN = 16;

/** Paths of steps that lie on the way to deeper ones. */
const roots = /* @__PURE__ */ new WeakMap<Step, string>();

/** Names or indices from the root to the step. */
export function pathOf(step: Step): string {
  let path = '';
  let count = 0;
  for (let at: Step | null = step; at !== null; at = above(at)) {
    if (++count > FLAT) return deepPathOf(step);
    if ((at.bits & HIDDEN) === 0) path = joined(elementsOf(at).join('/'), path);
  }
  return path;
}

function deepPathOf(step: Step): string {
  const way: Step[] = [];
  let at: Step | null = step;
  for (; at !== null && !roots.has(at); at = above(at)) way.push(at);
  let path = at === null ? '' : roots.get(at)!;
  let span: string[] = [];
  const far = way.length > FLAT;
  for (let i = way.length; i-- > 0;) {
    const next = way[i]!;
    if ((next.bits & HIDDEN) === 0) span.push(...elementsOf(next));
    if (i > 0 && !(far && i % SPAN === 0)) continue;
    path = joined(path, span.join('/'));
    span = [];
    if (i > 0) roots.set(next, path);
  }
  return path;
}

function joined(path: string, end: string): string {
  return path === '' || end === '' ? path + end : `${path}/${end}`;
}

function above({ link, line }: Step): Step | null {
  return link ?? hostOf(line);
}

/** With those of the sequences around it that have no step of their own. */
export function elementsOf({ bits, index, line, link, options }: Step): string[] {
  if (bits & NUMBERED) return [`#${index}`];
  if (bits & DEFERRED) return [`~${index}`];
  const given = options?.name ?? null;
  if (index < 0)
    return link === null
      ? ['0', ...line.flow.program!.elements(index, given)]
      : kindOf(link).elements!(index, given);
  const name = given ?? `${index}`;
  return [bits & BRANCH ? `|${name}` : name];
}

/** The parallel step that the line is a branch of; null for a root. */
export function hostOf(line: Line): Step | null {
  return line === line.flow ? null : (line as HostedLine).host;
}
