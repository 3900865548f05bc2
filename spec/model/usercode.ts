/** Calling the program's functions: bodies, handlers, cancel handlers, locks. */
import type { Failure } from './failure.js';
import { performCancel } from './flow.js';
import type { Step } from './shape.js';
import { sheltered } from './shelter.js';

export type Returned = { thrown: false; value: unknown } | { thrown: true; value: unknown };

/** [error-24] [error-25] [error-27]: the view of the error is there for the duration of the call, in its own flow. */
export function callUser(
  step: Step,
  view: Failure | undefined,
  undoing: boolean,
  call: () => unknown,
): Returned {
  const { flow } = step;
  const { tool, onStack, view: viewBefore } = flow;
  const undoingBefore = tool.undoing;
  flow.onStack = true;
  flow.view = view;
  tool.undoing = undoing;
  tool.onStack.push(step.line);
  try {
    return { thrown: false, value: call() };
  } catch (thrown) {
    return { thrown: true, value: thrown }; // [error-23]
  } finally {
    tool.onStack.pop();
    flow.onStack = onStack;
    flow.view = viewBefore;
    tool.undoing = undoingBefore;
  }
}

/**
 * [cancel-20] [cancel-23] [model-25] [model-26]: asked after each call of user code. A cancel that was latched meanwhile is performed,
 * and what went on before it is given up; but not what is shielded ([cancel-41] [cleanup-30]).
 */
export function cancelled(step: Step): boolean {
  const { flow } = step;
  if (flow.cancel === undefined || flow.cancel.performed || flow.onStack) return false;
  if (sheltered(step)) return false;
  performCancel(flow);
  return true;
}
