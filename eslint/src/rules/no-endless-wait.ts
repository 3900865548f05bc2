// A way through a body that leaves its step waiting, by `setTimeout` or `setCancel`, where other ways end it. A body that does no more than
// to make its step wait is meant to: its deadline ends it, or what closes it from outside.

import type { Scope } from 'eslint';
import { isAdder, isFailing } from '../api.js';
import type { Model } from '../model.js';
import { isRead } from '../variables.js';
import { isClosed } from '../limits.js';
import { onPaths } from '../paths.js';
import { ruleOf } from '../rule.js';
import { calledOf, functionAround, isFunction, isNothing, methodOf, type Node } from '../syntax.js';

export default ruleOf(
  {
    description: 'A body that ends its step does so on each of its ways',
    messages: {
      cancel:
        'On this way nothing ends the step, and `setCancel` makes it wait until something outside closes it. Return a value, or call `success()`; if it is to wait, `waitExternal()`.',
      timeout:
        'On this way nothing ends the step but its own deadline: `setTimeout` makes it wait. Return a value, or call `success()`; if it is to wait, `waitExternal()`.',
    },
  },
  ({ model, report }) =>
    onPaths((fn, happened, paths) => {
      if (!isFunction(fn) || fn.async || fn.generator) return;
      const accessor = model.accessorOf(fn);
      if (!accessor || !isBody(model, fn) || isGivenAway(model, fn, accessor)) return;
      const waits: Node[] = [];
      const ends: Node[] = [];
      for (const node of happened) {
        if (node.type === 'ReturnStatement') {
          if (node.argument && !isVoid(model, node.argument, accessor)) ends.push(node);
          continue;
        }
        const method = methodOf(node);
        if (!method || model.variableOf(method.object) !== accessor) continue;
        if (isWait(method.name)) waits.push(node);
        else if (isEnd(method.name)) ends.push(node);
      }
      if (ends.length === 0) return;
      if (fn.body.type !== 'BlockStatement' && !isVoid(model, fn.body, accessor)) return;
      const limited = waits.some((node) => methodOf(node)!.name === 'setTimeout');
      // One behind which nothing ends the step is meant to wait.
      const ended = waits.filter((wait) => ends.some((end) => paths().leadsTo(wait, end)));
      const wait = paths().lastOf(ended, ends);
      if (wait && !isAlwaysClosed(model, fn))
        report({ node: wait, messageId: limited ? 'timeout' : 'cancel' });
    }) as never,
);

/** Whether each step that it's the body of is seen to be closed from outside. */
function isAlwaysClosed(model: Model, fn: Node): boolean {
  return model.givenTo(fn).every(({ call }) => isClosed(model, call));
}

function isBody(model: Model, fn: Node): boolean {
  const given = model.givenTo(fn);
  return given.length > 0 && given.every(({ role }) => /body|iteration|deferred/.test(role));
}

const isWait = (name: string): boolean => name === 'setTimeout' || name === 'setCancel';
const isEnd = (name: string): boolean =>
  name === 'success' || name === 'waitExternal' || isAdder(name) || isFailing(name);
const saysNothing = (name: string): boolean => /^(?:defer|newInstance|remaining)$/.test(name);

/** Whether others than the body itself may end the step: who gets the accessor, or a function that is called later. */
function isGivenAway(model: Model, fn: Node, accessor: Scope.Variable): boolean {
  return model.usesIn(fn, accessor).some((use) => {
    if (isRead(use)) return false;
    const name = calledOf(use)?.name;
    if (name === undefined) return true;
    if (saysNothing(name)) return false;
    return functionAround(use) !== fn || !(isWait(name) || isEnd(name));
  });
}

/** What a body may return and say nothing. */
function isVoid(model: Model, value: Node, accessor: Scope.Variable): boolean {
  if (isNothing(value)) return true;
  const method = methodOf(value);
  return (
    method !== undefined && model.variableOf(method.object) === accessor && isWait(method.name)
  );
}
