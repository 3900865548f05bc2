// Values of a subtree: a step sets one, and it and everything below finds it. They stand in the options of the step that has set them, so
// who sets none pays nothing, and they go with the step.

import { invalidUse } from './error.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import { hostOf } from './path.js';
import { optionsOf, type Step } from './step.js';

/**
 * A value that a step sets for itself and everything below it. Make it once, outside of any body.
 * Guide: docs/values.md#for-all-that-is-inside
 *
 *     const user = new Local<string>('user');
 *     user.set(asi, 'Ann'); // and further in: user.get(asi)
 */
export class Local<T> {
  /** For whoever looks at it in a debugger. */
  declare readonly name: string;

  /** As `local(name)`. */
  constructor(name: string) {
    this.name = name;
  }

  /** Until the step closes; what is set further in hides it there. `InternalError` if the accessor isn't valid. */
  set(asi: IAsyncSteps, value: T): void {
    if (!asi.valid()) throw invalidUse(`${this.name}: the accessor is not valid`);
    const options = optionsOf((asi as unknown as Step).line.top!);
    (options.locals ??= new Map()).set(this, value);
  }

  /** What the innermost step around has set; `undefined` if none has. The accessor needn't be valid. */
  get(asi: IAsyncSteps): T | undefined {
    for (let at = asi as unknown as Step | null; at !== null; at = at.link ?? hostOf(at.line)) {
      const locals = at.options?.locals;
      if (locals?.has(this)) return locals.get(this) as T;
    }
    return undefined;
  }
}

/**
 * Where it stands: `values` are for the next step, `state` is the whole flow's, this is a subtree's. A step sets it for itself and everything
 * below, until it closes; whoever asks where nobody has set it gets `undefined`. Make it once, outside of any body; the name is for
 * debuggers. Guide: docs/values.md#for-all-that-is-inside
 *
 *     const user = local<User>('user');
 *     user.set(asi, ann); // and further in: user.get(asi)
 */
export function local<T>(name: string): Local<T> {
  return new Local(name);
}
