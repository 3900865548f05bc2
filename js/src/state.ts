// The error that user code on the stack is dealing with. There's at most one: handlers never overlap, and a cancel handler
// that is called inside a foreign handler has its own. So the views need no link to a flow, and the state object stays empty.

import { badArgument, type StepError } from './error.js';

let viewed: StepError | null = null;

/** Sets what the views show; returns what they showed, to be put back after the user's code. */
export function view(error: StepError | null): StepError | null {
  const before = viewed;
  viewed = error;
  return before;
}

/**
 * The state of a flow: shared by all its steps and branches, kept from one execution to the next. Beside the program's own
 * keys it shows the error being handled, inside an error handler or a cancel handler that the error passes through.
 */
export class State {
  [key: string]: any;

  /** The info of the error, '' if the program gave none. Absent outside handlers. */
  get error_info(): string | undefined {
    return viewed?.info;
  }

  /** The exception: what was thrown, else the `StepError`. Absent outside handlers. */
  get last_exception(): unknown {
    return viewed?.exception;
  }

  /** The path of step names or indices from the root to where the error was raised. Absent outside handlers. */
  get async_stack(): string | undefined {
    return viewed?.path;
  }
}

/** Gives a state object of the program's own the same views. */
export function withViews(state: object): State {
  try {
    if (state instanceof State || !Object.isExtensible(Object(state))) return state as State;
    const { constructor: _, ...views } = Object.getOwnPropertyDescriptors(State.prototype);
    return Object.defineProperties(state, views) as State;
  } catch {
    badArgument('state', 'an object', state);
  }
}
