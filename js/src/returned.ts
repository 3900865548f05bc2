// What a body returns is its value; but for what says nothing, as a call that chains does, and for what is a mistake: nobody would run
// or hear it.

import { isFlow } from './child.js';
import { misuse } from './error.js';
import { isObject, tagOf } from './portable.js';

/**
 * What it is that isn't meant as a value; '' if it says nothing. A text, and written out where it is defined: bundlers keep a class whose
 * key is computed.
 */
const RETURNED = 'steptree.returned';

/** Throws what becomes the step's error. [model-76, model-137, model-138] */
export function isValue(returned: unknown): boolean {
  if (returned === undefined || returned === false) return false;
  if (!isObject(returned)) return true;
  const what = RETURNED in (returned as any) ? (returned as any)[RETURNED] : mistakeIn(returned);
  if (what) throw misuse(`a body returned ${what}`);
  return what === undefined;
}

function mistakeIn(returned: unknown): string | undefined {
  if (isFlow(returned)) return 'a flow: await it';
  if (/ (Async)?Generator]$/.test(tagOf(returned)))
    return 'a generator: a generator function is no body';
  return undefined;
}
