/** What a schema can't say: the names that a program uses must be made somewhere in it. */
import type { Case } from './case.js';

/** The key that uses a name, and the keys that make such a name. */
const uses: Readonly<Record<string, readonly string[]>> = {
  execute: ['newInstance'],
  promise: ['newInstance'],
  cancel: ['newInstance'],
  running: ['newInstance'],
  closed: ['newInstance'],
  addTo: ['newInstance'],
  done: ['waitExternal'],
  with: ['keep'],
  cancelHandle: ['as'],
  validHandle: ['as'],
  guard: ['makeGuard'],
  lock: ['makeGuard'],
  unlock: ['makeGuard'],
  send: ['makeChannel'],
  receive: ['makeChannel'],
  trySend: ['makeChannel'],
  tryReceive: ['makeChannel'],
  close: ['makeChannel'],
  channelClosed: ['makeChannel'],
  budget: [],
};
const ofFlows = new Set(['execute', 'promise', 'cancel', 'running', 'closed', 'addTo']);
const ofGuards = new Set(['guard', 'lock', 'unlock']);
const ofChannels = new Set(['send', 'receive', 'trySend', 'tryReceive', 'close', 'channelClosed']);
const ofBudgets = new Set(['budget']);

export function namesProblems(program: Case): string[] {
  const made = new Map<string, Set<string>>();
  const used: { key: string; name: string }[] = [];
  const { flows, options, guards, channels, budgets, cancellable, start, events } = program;
  const shared = (guards as object) ?? {};
  const piped = (channels as object) ?? {};
  visit([Object.values(flows), Object.values(shared), start, events], (key, name) => {
    made.set(key, (made.get(key) ?? new Set()).add(name));
    if (key in uses) used.push({ key, name });
  });
  const declared = Object.keys(flows);
  const unknown = used.filter(
    ({ key, name }) =>
      !(ofFlows.has(key) && declared.includes(name)) &&
      !(ofGuards.has(key) && name.replace(/\.(read|write)$/, '') in shared) &&
      !(ofChannels.has(key) && name in piped) &&
      !(ofBudgets.has(key) && name in ((budgets as object) ?? {})) &&
      !(uses[key] ?? []).some((maker) => made.get(maker)?.has(name)),
  );
  return [
    ...unknown.map(({ key, name }) => `${key}: nothing in the case makes '${name}'`),
    ...missing('options', Object.keys((options as object) ?? {}), declared),
    ...missing(
      'cancellable',
      (cancellable as string[]) ?? [],
      ['on', 'return', 'settle'].flatMap((key) => [...(made.get(key) ?? [])]),
    ),
    ...missing('start', start === undefined ? ['main'] : [], declared),
  ];
}

function missing(key: string, names: readonly string[], known: readonly string[]): string[] {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => `${key}: nothing in the case is called '${name}'`);
}

/** Keys whose content is data of the program, not program. */
const data = new Set(['success', 'successStep', 'of', 'set', 'value']);

function visit(part: unknown, found: (key: string, name: string) => void): void {
  if (Array.isArray(part)) {
    for (const item of part) visit(item, found);
  } else if (typeof part === 'object' && part !== null) {
    for (const [key, value] of Object.entries(part)) {
      if (typeof value === 'string') found(key, value);
      else if (!data.has(key)) visit(value, found);
    }
  }
}
