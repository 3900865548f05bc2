// The state of a flow, and what it shows of the error in view.

import { badArgument, errorPath, exceptionOf, misuse, type StepError } from './error.js';
import { viewed, viewer } from './view.js';

function viewedBy<T>(state: State, of: (error: StepError) => T): T | undefined {
  return viewed !== null && viewer?.memory === state ? of(viewed) : undefined;
}

/**
 * The state of a flow: without anything inherited, so that any text is a key, `constructor` and `__proto__` too. It is shared by all its
 * steps and branches, kept from one execution to the next. Beside the program's own keys it shows the error being handled, inside an error
 * handler or a cancel handler that the error passes through. Guide: docs/values.md#for-the-whole-flow
 *
 *     asi.state.user = 'Ann'; // and in any step of the flow: asi.state.user
 */
class State {
  [key: string]: any;

  /** The info of the error, '' if the program gave none. Absent outside handlers. */
  get error_info(): string | undefined {
    return viewedBy(this, ({ info }) => info);
  }

  /** The exception: what was thrown, else the `StepError`. Absent outside handlers. */
  get last_exception(): unknown {
    return viewedBy(this, exceptionOf);
  }

  /** The path of step names or indices from the root to where the error was raised. Absent outside handlers. */
  get async_stack(): string | undefined {
    return viewedBy(this, errorPath);
  }
}

/** The state of a flow that says what the program keeps in it. */
export type StateOf<S> = 0 extends 1 & S
  ? State
  : S & Readonly<Pick<State, 'error_info' | 'last_exception' | 'async_stack'>>;

/** The state of a flow, as an object of one's own may be, too: `new AsyncSteps({ state })`. Guide: docs/values.md#for-the-whole-flow */
const BareState = /* @__PURE__ */ bare(State);
type BareState = State;
export { BareState as State };

/** Its instances inherit nothing but what it defines. The class has no use for its own name, so that a bundler has none for another one. */
function bare<C extends { readonly prototype: object }>(what: C): C {
  Object.setPrototypeOf(what.prototype, null);
  Reflect.deleteProperty(what.prototype, 'constructor');
  return what;
}

/** Gives a state object of the program's own the same views. */
export function withViews(state: object): BareState {
  const views = Object.getOwnPropertyDescriptors(BareState.prototype);
  let taken: string | undefined;
  try {
    if (state instanceof BareState || !Object.isExtensible(Object(state))) return state as State;
    taken = Object.keys(views).find((name) => {
      const own = Object.getOwnPropertyDescriptor(state, name);
      return own !== undefined && 'value' in own;
    });
    if (taken === undefined) return Object.defineProperties(state, views) as State;
  } catch {
    badArgument('state', 'an object', state);
  }
  throw misuse(`state: ${taken} is the runtime's`);
}
