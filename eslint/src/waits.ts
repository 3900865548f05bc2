// Whether a step may be open when its body has returned: its body says so, returns what it waits for, or gives its accessor away.

import type { Scope } from 'eslint';
import { isAdder } from './api.js';
import type { Model } from './model.js';
import { isRead } from './variables.js';
import {
  bare,
  calledOf,
  isNothing,
  isPlainValue,
  methodOf,
  type Node,
  returnsOf,
  valuesIn,
} from './syntax.js';

/** `except` is a use of the accessor that is known to be no matter. Of a function that isn't given to steptree nothing is known. */
export function waits(model: Model, body: Node, accessor: Scope.Variable, except?: Node): boolean {
  if (body.async || body.generator || model.givenTo(body).length === 0) return true;
  const saysNothing = (value: Node | null): boolean =>
    value === null || isNothing(value) || isPlainValue(value) || isOwnCall(model, value, accessor);
  if (!returnsOf(body).every((value) => value === null || valuesIn(value).every(saysNothing)))
    return true;
  const mayWait = (use: Node): boolean => {
    const name = calledOf(use)?.name;
    return name === undefined ? !isRead(use) : /^(?:waitExternal|setTimeout|setCancel)$/.test(name);
  };
  return model.usesIn(body, accessor).some((use) => use !== except && mayWait(use));
}

/** A call that returns nothing to wait for: of the accessor, or of a timer. */
function isOwnCall(model: Model, value: Node, accessor: Scope.Variable): boolean {
  if (value.type !== 'CallExpression') return false;
  if (isTimer(model, value)) return true;
  const method = methodOf(value);
  const kind = method && model.kindOf(method.object);
  if (kind?.is !== 'accessor' || kind.variable !== accessor) return false;
  return method!.name === 'success' || isAdder(method!.name);
}

const timers = /^(?:setTimeout|setInterval|setImmediate|queueMicrotask)$/;

export function isTimer(model: Model, call: Node): boolean {
  const callee = bare(call.callee);
  if (callee.type === 'Identifier')
    return timers.test(callee.name) && !model.variableOf(callee)?.defs.length;
  const method = methodOf(call);
  return method?.name === 'nextTick' && method.object.name === 'process';
}
