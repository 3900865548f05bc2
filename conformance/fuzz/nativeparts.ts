// Which steps of a program a plug-in can run, and which inside of those JavaScript can, as services.

import { isPart, type Part } from './parts.js';

const forms = [
  ...['step', 'loop', 'repeat', 'forEach', 'map', 'parallel', 'race', 'any', 'all', 'steps'],
  ...['wrapped', 'delay', 'shield', 'retry', 'hedge', 'await', 'successStep'],
];
const actions = [
  ...['success', 'error', 'errorNoThrow', 'setTimeout', 'setCancel', 'defer', 'waitExternal'],
  ...['return', 'returnValue', 'returnStep', 'log', 'try', 'times', 'done', 'settle', 'throw'],
];
const words = ['success', 'waitExternal', 'outcome', 'remaining', 'valid', 'relinquish'];
const loops = ['loop', 'repeat', 'forEach'];
const breaks = ['break', 'continue', 'breakNoThrow', 'continueNoThrow'];
/** Where a break finds no loop around, or another than it says. */
const walls = ['parallel', 'race', 'any', 'all', 'map', 'hedge', 'setCancel', 'defer'];
const lists = ['do', 'catch', 'try', 'setCancel', 'sink', 'parts', 'branches'];
const parts = ['body', 'wrapped', 'returnStep'];
const ofJs = ['from', 'budget', 'flow', 'source'];

/** What is around a part. */
export interface Around {
  /** A deferred function, which a grace may end. */
  readonly closing: boolean;
  /** What locks a guard of JavaScript. */
  readonly locking: boolean;
  /** A guard of a key. */
  readonly keyed: boolean;
  /** A hedge, whose attempts run one step several times at once. */
  readonly hedged: boolean;
  /** Branches, in which others wait. */
  readonly beside: boolean;
}

export function insideOf(part: Part, { closing, locking, keyed, hedged, beside }: Around): Around {
  const locks = 'sync' in part;
  return {
    closing: closing || 'defer' in part,
    locking: locking || locks,
    keyed: keyed || (locks && 'key' in part),
    hedged: hedged || 'hedge' in part,
    beside: beside || ['parallel', 'race', 'any', 'all', 'map', 'hedge'].some((key) => key in part),
  };
}

/** What of a program is native already. */
export class Taken {
  count = 0;
  #isFull = false;

  /** Whether another one can be, too. */
  allows(part: Part): boolean {
    return !this.#isFull && (this.count === 0 || !completesClosing(part));
  }

  add(part: Part): void {
    this.count++;
    this.#isFull ||= completesClosing(part);
  }
}

/** Whether all that its body does and adds can be done without JavaScript. Its handler is JavaScript's in any case. */
export function fits(part: Part, around: Around, taken: Taken): boolean {
  const { catch: _, ...body } = part;
  if (body['name'] !== undefined || !isNative(body, [])) return false;
  const text = JSON.stringify(body);
  // What a grace ends there is abandoned; native steps are cancelled then, and clean up as ever.
  if (around.closing && /"(defer|shield|await|return)"/.test(text)) return false;
  // A native step that is closed keeps its places to the next microtask. Then its key is forgotten when somebody looks.
  if (around.keyed) return false;
  // Of attempts that time out at one instant the first may win, and cancels the others, before these are heard of. One that is closed may end others.
  if (around.hedged && (text.includes('"setTimeout"') || completesClosing(body))) return false;
  // What it completes natively beside it is heard of by JavaScript in another turn than in the model.
  if (around.beside && /"(done|settle)"/.test(text)) return false;
  // What several wait for ends all of these waits in one turn there, before the first that wins cancels the others.
  if (around.beside && /"(await|return)"/.test(text)) return false;
  // What an exception of a native handler has replaced isn't in its `also` on the other side.
  if (throwsInHandler(body)) return false;
  // What native steps abandon keeps no place in guards of JavaScript.
  if (around.locking && /"(await|return)"/.test(text)) return false;
  return taken.allows(body);
}

/** Ends a wait elsewhere at the same instant: who goes on first is a matter of turns. */
export function completes(item: unknown): boolean {
  return isPart(item) && ('done' in item || 'settle' in item);
}

/** Flows are cancelled one after the other: what the first closes completes what of the next isn't cancelled yet. */
function completesClosing(part: unknown): boolean {
  if (Array.isArray(part)) return part.some(completesClosing);
  if (!isPart(part)) return false;
  const closes = ['setCancel', 'defer'].some((key) => key in part);
  if (closes && /"(done|settle)"/.test(JSON.stringify(part))) return true;
  return Object.values(part).some(completesClosing);
}

function throwsInHandler(part: unknown): boolean {
  if (Array.isArray(part)) return part.some(throwsInHandler);
  if (!isPart(part)) return false;
  const handler = typeof part['catch'] === 'string' ? part['do'] : part['catch'];
  if ('catch' in part && (JSON.stringify(handler) ?? '').includes('"throw"')) return true;
  return Object.values(part).some(throwsInHandler);
}

/** The handlers of a value which is native and cleans up: they are JavaScript's, and stand around that cleanup. */
export function withoutHandlers(part: Part): Part {
  const { wraps } = part;
  if (!Array.isArray(wraps)) return part;
  let inner = part['wrapped'] as Part;
  while (isPart(inner['wrapped'])) inner = inner['wrapped'];
  if (inner['name'] !== 'native' || !JSON.stringify(inner).includes('"defer"')) return part;
  return { ...part, wraps: wraps.filter((wrap: Part) => !('catch' in wrap)) };
}

/** `labels`: of the loops around that are native, too. */
function isNative(action: unknown, labels: readonly string[]): boolean {
  if (typeof action === 'string')
    return words.includes(action) || (breaks.includes(action) && labels.length > 0);
  const part = action as Part;
  const kind = Object.keys(part)[0] as string;
  if (breaks.includes(kind)) return labels.includes(String(part[kind]));
  if (kind === 'show') return !/path|waits/.test(String(part['show']));
  if (!forms.includes(kind) && !actions.includes(kind)) return false;
  if (ofJs.some((key) => key in part || (isPart(part['of']) && key in part['of']))) return false;
  const outer = walls.includes(kind) ? [] : labels;
  const around = loops.includes(kind) ? [...outer, String(part['label'] ?? '')] : outer;
  const inner = [
    ...lists.flatMap((key) => (Array.isArray(part[key]) ? part[key] : [])),
    ...parts.flatMap((key) => (part[key] === undefined ? [] : [part[key]])),
    ...((part['wraps'] as Part[] | undefined) ?? []).flatMap((wrap) => (wrap['do'] as []) ?? []),
    ...Object.values(isPart(part['at']) ? part['at'] : {}).flat(),
  ];
  return inner.every((each) => isNative(each, around));
}

/** What takes time to stop in it has a grace of its own, beside that of the call: so there is none. */
export function isOfJs(part: Part): boolean {
  const { step, name, catch: _, ...body } = part;
  const text = JSON.stringify(body);
  return (
    typeof step === 'string' &&
    step !== '' &&
    name === undefined &&
    isNative({ step, ...body }, []) &&
    !/"(defer|await|return|shield|done|settle)"/.test(text)
  );
}
