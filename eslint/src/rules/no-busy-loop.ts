// A loop that has idle rounds: they wait for nothing, end nothing and change nothing, so the next is idle, too.

import { mayIdle } from '../idle.js';
import { isCancelled, isClosed, isInTimeout } from '../limits.js';
import type { Model } from '../model.js';
import { ruleOf } from '../rule.js';
import { bare, isFunction, methodOf, type Node } from '../syntax.js';

export default ruleOf(
  {
    description: 'A round of an endless loop waits, ends it, or does something',
    messages: {
      busy: 'A round of this loop may do nothing, and wait for nothing: it takes all the time that the event loop has left. Await something in it, add a `delay(…)`, or leave it by `breakLoop()`.',
    },
  },
  ({ model, report }) => ({
    CallExpression(call: Node) {
      const body = bodyOf(model, call);
      if (body && !hasLimit(model, call) && mayIdle(model, body))
        report({ node: call.callee, messageId: 'busy' });
    },
  }),
);

/** Of an endless loop that is made there. */
function bodyOf(model: Model, call: Node): Node | undefined {
  const [argument] = call.arguments;
  if (!argument) return undefined;
  const body = bare(argument);
  if (!isFunction(body)) return undefined;
  const given = model.givenTo(body).find((each) => each.call === call);
  if (given?.role !== 'iteration') return undefined;
  const callee = bare(call.callee);
  const kind = model.kindOf(callee);
  const name = kind?.is === 'export' ? kind.name : callee.property?.name;
  return name === 'loop' ? body : undefined;
}

/** Whether something is seen to close it: a deadline, a cancel, another branch that may be first. */
function hasLimit(model: Model, call: Node): boolean {
  const owner = methodOf(call)?.object;
  return (
    isInTimeout(call) || isClosed(model, call) || (owner !== undefined && isCancelled(model, owner))
  );
}
