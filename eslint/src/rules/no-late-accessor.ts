// A callback that calls an accessor when its step has ended: a step waits only if its body says so. And a cancel handler, in which a
// step can't act any more.

import type { Scope } from 'eslint';
import { isAlwaysValid } from '../api.js';
import type { Model } from '../model.js';
import { isOf } from '../promises.js';
import { ruleOf } from '../rule.js';
import { bare, calledOf, functionAround, methodOf, type Node, walk, whole } from '../syntax.js';
import { isTimer, waits } from '../waits.js';

export default ruleOf(
  {
    description: 'A callback ends a step only while that waits',
    messages: {
      late: 'The step has ended when this callback runs, since nothing makes it wait: the call throws `InternalError`. Take `const done = {{name}}.waitExternal()` in the body, and call `done.success(…)` or `done.error(…)`.',
      cancel:
        'A cancel handler can’t act: only `state`, `signal` and locals may be used in it. What may wait or add steps is for `defer`.',
    },
  },
  ({ model, report }) => ({
    Identifier(node: Node) {
      const method = calledOf(node);
      if (!method || isAlwaysValid(method.name)) return;
      const kind = model.kindOf(node);
      if (kind?.is !== 'accessor' || kind.variable !== model.variableOf(node)) return;
      if (model.asksIfValid(functionAround(node)!, kind.variable)) return;
      const owner = model.functionOf(kind.variable);
      const data = { name: node.name as string };
      if (isInCancelHandler(model, node, owner, kind.variable))
        report({ node, messageId: 'cancel', data });
      else if (
        isInCallback(model, node, owner) &&
        !waits(model, owner, kind.variable) &&
        !emits(owner)
      )
        report({ node, messageId: 'late', data });
    },
  }),
);

/** In one that its accessor was given, or whose own it is. */
function isInCancelHandler(
  model: Model,
  node: Node,
  owner: Node,
  accessor: Scope.Variable,
): boolean {
  const given = model.givenTo(owner);
  if (given.length > 0 && given.every(({ role }) => role === 'cancel'))
    return functionAround(node) === owner;
  const fn = functionAround(node);
  if (!fn || fn === owner || functionAround(fn) !== owner) return false;
  const method = methodOf(whole(fn).parent);
  const kind = method && model.kindOf(method.object);
  return method?.name === 'setCancel' && kind?.is === 'accessor' && kind.variable === accessor;
}

const settled = /^(?:then|catch|finally)$/;
/** Modules whose functions call back when they have returned. */
const calling = /^(?:node:)?(?:child_process|crypto|dns|fs|http|https|net|tls|zlib)$/;
const listening = /^(?:on|once|addListener|addEventListener)$/;

/** In a function, written in the body, that is called after that has returned. */
function isInCallback(model: Model, node: Node, owner: Node): boolean {
  const fn = functionAround(node);
  if (!fn || fn === owner || functionAround(fn) !== owner || model.givenTo(fn).length > 0)
    return false;
  const value = whole(fn);
  const call = value.parent;
  if (call.type !== 'CallExpression' || !call.arguments.includes(value)) return false;
  return isTimer(model, call) || isLater(model, call, call.arguments.indexOf(value));
}

/** Given to a promise, to a call of Node, or behind the name of an event. */
function isLater(model: Model, call: Node, place: number): boolean {
  const method = methodOf(call);
  if (isOf(model, method?.object ?? bare(call.callee), calling)) return true;
  if (!method || model.kindOf(method.object) !== undefined) return false;
  return settled.test(method.name) || (place > 0 && listening.test(method.name));
}

/** Whether it calls the listeners of something itself. */
function emits(owner: Node): boolean {
  let found = false;
  walk(owner, (node) => {
    if (/^(?:emit|dispatchEvent)$/.test(methodOf(node)?.name ?? '')) found = true;
    return !found;
  });
  return found;
}
