// What is seen to close a step from outside.

import type { Model } from './model.js';
import { usesOf } from './variables.js';
import { calledOf, methodOf, type Node } from './syntax.js';

/** Whether what stands there is seen to be closed: by another branch of a `race`, or since its flow is cancelled. */
export function isClosed(model: Model, node: Node): boolean {
  return isInCall(node, (call) => {
    const callee = model.kindOf(call.callee);
    if (callee?.is === 'export') return /^(?:race|any)$/.test(callee.name);
    const owner = methodOf(call)?.object;
    return owner !== undefined && model.kindOf(owner)?.is === 'flow' && isCancelled(model, owner);
  });
}

/** Whether it stands in what has a limit: `steps(…).timeout(500)`. */
export function isInTimeout(node: Node): boolean {
  return isInCall(node, (call) => methodOf(call)?.name === 'timeout');
}

/** Whether the program cancels the flow, or limits the step, whose name that is. */
export function isCancelled(model: Model, owner: Node): boolean {
  const variable = model.variableOf(owner);
  if (variable === undefined) return false;
  return usesOf(variable).some((use) => /^(?:cancel|setTimeout)$/.test(calledOf(use)?.name ?? ''));
}

function isInCall(node: Node, is: (call: Node) => boolean): boolean {
  for (let outer = node; outer; outer = outer.parent)
    if (outer.type === 'CallExpression' && is(outer)) return true;
  return false;
}
