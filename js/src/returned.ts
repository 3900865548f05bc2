// What a body returns is its value; but for what says nothing, as a call that chains does, and for what is a mistake: nobody would run
// or hear it.

import { isFlow } from './child.js';
import { misuse } from './error.js';
import { tagOf } from './portable.js';

/**
 * What it is that isn't meant as a value; '' if it says nothing. A text, and written out where it is defined: bundlers keep a class whose
 * key is computed.
 */
const RETURNED = '@returned';

/** Throws what becomes the step's error. [model-76, model-137, model-138] */
export function isValue(returned: unknown): boolean {
  if (returned === undefined || returned === false) return false;
  if (Object(returned) !== returned) return true;
  const key = RETURNED in (returned as object);
  const what = key ? (returned as any)[RETURNED] : mistakeIn(returned);
  if (what) throw misuse(`returned a ${what}`);
  return what !== '';
}

function mistakeIn(returned: unknown): string | false {
  return isFlow(returned) ? 'flow' : tagOf(returned).endsWith('Generator]') && 'generator';
}
