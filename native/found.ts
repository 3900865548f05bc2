// What Node gets as `steptree/native`, however it loads that: all of the package `steptree-native`, or in one sentence what is missing. A part of
// the package `steptree`.

import { errors, StepError } from 'steptree';

declare const require: (name: string) => typeof import('steptree-native');

function found(): ReturnType<typeof require> {
  try {
    return require('steptree-native');
  } catch (thrown) {
    const { code, message } = thrown as { code?: string; message: string };
    // What it needs itself may be missing, too.
    if (code !== 'MODULE_NOT_FOUND' || !message.includes("'steptree-native'")) throw thrown;
    throw new StepError(
      errors.InternalError,
      "steptree/native: the package steptree-native isn't installed: npm install steptree-native",
    );
  }
}

export const { counts, list, load, offer, useTool, withdraw } = /* @__PURE__ */ found();
