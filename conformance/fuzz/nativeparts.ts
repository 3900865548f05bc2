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

/** Whether all that its body does and adds can be done without JavaScript. Its handler is JavaScript's in any case. */
export function isFit({ catch: _, ...body }: Part): boolean {
  return body['name'] === undefined && isNative(body, []);
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
    !/"(defer|await|return)"/.test(text)
  );
}
