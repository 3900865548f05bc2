// Calls of native steps. One that ends at once is a call of a function; one that doesn't is awaited.

import type { IAsyncSteps } from 'steptree';
import { MANY, ONE, OPEN } from './binding.js';
import { settingsOf, stepOf } from './engine.js';
import { errorOf } from './errors.js';
import { attend, isObserving } from './hearing.js';
import { native } from './native.js';
import { Running } from './running.js';
import { callBegins, callLeft } from './told.js';

const ended = [ONE];

function callFor(asi: IAsyncSteps, name: string, handler: number, values: unknown[]): any {
  const settings = settingsOf(asi);
  const { grace, tool } = settings;
  const before = callBegins(asi, name, settings);
  try {
    if (tool.watching !== null || isObserving()) attend(native, tool);
    return native.call(ended, handler, asi.remaining(), grace, ...values);
  } finally {
    callLeft(before);
  }
}

/** The body of a step that calls it. */
export function bodyOf(handler: number, name: string) {
  return (asi: IAsyncSteps, ...values: unknown[]): any => {
    const result = callFor(asi, name, handler, values);
    const how = ended[0];
    if (how === ONE) return result === undefined ? undefined : asi.success(result);
    ended[0] = ONE;
    if (how === MANY) return asi.success(...result);
    const place = { path: stepOf(asi).toPath(), name };
    if (how === OPEN) return new Running(native, asi, result, place);
    throw errorOf(result, place);
  };
}
