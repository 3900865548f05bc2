/** What a schema can't say: the names that a program uses must be made somewhere in it. */
import type { Program } from './case.js';

/** The key that uses a name, and the keys that make such a name. */
const uses: Readonly<Record<string, readonly string[]>> = {
  flow: ['newInstance'],
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
  send: ['makeChannel'],
  receive: ['makeChannel'],
  from: ['makeChannel'],
  trySend: ['makeChannel'],
  tryReceive: ['makeChannel'],
  close: ['makeChannel'],
  channelClosed: ['makeChannel'],
  readChannel: ['makeChannel'],
  readGuard: ['makeGuard'],
  waitAt: ['makeGuard'],
  lose: ['makeGuard'],
  openGate: ['makeGuard'],
  closeGate: ['makeGuard'],
  recording: ['makeRecorder'],
  cancelRecorder: ['makeRecorder'],
  budget: [],
};
const ofFlows = new Set(['flow', 'execute', 'promise', 'cancel', 'running', 'closed', 'addTo']);
const ofGuards = new Set(['guard', 'readGuard', 'waitAt', 'lose', 'openGate', 'closeGate']);
const ofChannels = new Set([
  'send',
  'receive',
  'from',
  'trySend',
  'tryReceive',
  'close',
  'channelClosed',
  'readChannel',
]);
const ofBudgets = new Set(['budget']);

export interface Use {
  readonly key: string;
  readonly name: string;
}

export interface Names {
  /** By the key that mentions them. */
  readonly mentioned: ReadonlyMap<string, ReadonlySet<string>>;
  /** Uses of what nothing makes. */
  readonly unmade: readonly Use[];
}

export function namesIn({ flows, guards, channels, budgets, start, events }: Program): Names {
  const mentioned = new Map<string, Set<string>>();
  const used: Use[] = [];
  const shared = (guards as object) ?? {};
  const piped = (channels as object) ?? {};
  visit([Object.values(flows), Object.values(shared), start, events], (key, name) => {
    mentioned.set(key, (mentioned.get(key) ?? new Set()).add(name));
    if (key in uses) used.push({ key, name });
  });
  const unmade = used.filter(
    ({ key, name }) =>
      !(ofFlows.has(key) && name in flows) &&
      !(ofGuards.has(key) && name.replace(/\.(read|write)$/, '') in shared) &&
      !(ofChannels.has(key) && name in piped) &&
      !(ofBudgets.has(key) && name in ((budgets as object) ?? {})) &&
      !(uses[key] ?? []).some((maker) => mentioned.get(maker)?.has(name)),
  );
  return { mentioned, unmade };
}

/** Promises come into being where they are mentioned. */
export function promisesIn({ mentioned }: Names): string[] {
  return ['on', 'return', 'settle'].flatMap((key) => [...(mentioned.get(key) ?? [])]);
}

export function namesProblems(program: Program): string[] {
  const { flows, options, cancellable, operations, start } = program;
  const declared = Object.keys(flows);
  const names = namesIn(program);
  return [
    ...names.unmade.map(({ key, name }) => `${key}: nothing in the case makes '${name}'`),
    ...missing('options', Object.keys((options as object) ?? {}), declared),
    ...missing('cancellable', (cancellable as string[]) ?? [], promisesIn(names)),
    ...missing('operations', (operations as string[]) ?? [], promisesIn(names)),
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
