import type { IAsyncSteps } from '../../src/index.js';
import { step } from '../../src/index.js';
import type * as Native from '../../../native/ts/index.js';
import { wrongType } from './errors.js';
import { bytesOf, wordsOf } from './pluginreply.js';
import type { Store } from './store.js';

/**
 * Offers the server's keys to plug-ins: `keys.get` takes a key and leaves its text as bytes, or nothing; `keys.set` takes a key and a text, and
 * replaces both value and expiry. Code: `WRONGTYPE`.
 */
export function offerKeys({ offer }: typeof Native, store: Store): void {
  const get = (asi: IAsyncSteps, key: unknown) => {
    const value = store.find(textOf(key));
    if (value && !('text' in value)) wrongType(asi);
    asi.success(value ? bytesOf(value.text) : null);
  };
  const set = (_asi: IAsyncSteps, key: unknown, text: unknown) => {
    store.put(textOf(key), { text: textOf(text) });
  };
  offer('keys.get', step(get));
  offer('keys.set', step(set));
}

/** Of a string or bytes: one character a byte. */
function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('latin1');
  return typeof value === 'string' ? wordsOf(value) : '';
}
