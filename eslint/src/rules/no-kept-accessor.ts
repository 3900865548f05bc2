// An accessor that is put where it outlives its step: of a body that neither waits nor calls anybody who could use it there.

import { isFailing } from '../api.js';
import type { Model } from '../model.js';
import { ruleOf } from '../rule.js';
import {
  bare,
  functionAround,
  isFunction,
  isInside,
  methodOf,
  type Node,
  walk,
  whole,
} from '../syntax.js';
import { waits } from '../waits.js';

export default ruleOf(
  {
    description: 'An accessor is passed down, never kept',
    messages: {
      kept: '`{{name}}` ends with its step, and is kept here: a later call throws `InternalError`. Keep what `{{name}}.waitExternal()` gives, whose calls are safe at any time.',
    },
  },
  ({ model, report }) => ({
    Identifier(node: Node) {
      const kind = model.kindOf(node);
      if (kind?.is !== 'accessor' || kind.variable !== model.variableOf(node)) return;
      const owner = model.functionOf(kind.variable);
      if (!isAssigned(model, node, owner) && !isPushed(model, node, owner)) return;
      if (!waits(model, owner, kind.variable, node) && !isUsed(model, node, owner))
        report({ node, messageId: 'kept', data: { name: node.name } });
    },
  }),
);

function isAssigned(model: Model, node: Node, owner: Node): boolean {
  const value = whole(node);
  const { parent } = value;
  if (parent.type !== 'AssignmentExpression' || parent.right !== value) return false;
  const target = bare(parent.left);
  if (target.type === 'Identifier') return outlives(model, target, owner);
  let object = target;
  while (object.type === 'MemberExpression') object = bare(object.object);
  if (object === target) return false;
  if (object.type === 'ThisExpression') return thisOutlives(object, owner);
  const kind = model.kindOf(object);
  const isState = kind?.is === 'accessor' || kind?.is === 'flow';
  return isState ? stateOf(target) : outlives(model, object, owner);
}

/** `asi.state.…`. */
function stateOf(target: Node): boolean {
  let member = target;
  while (bare(member.object).type === 'MemberExpression') member = bare(member.object);
  return member !== target && !member.computed && member.property.name === 'state';
}

/** `list.push(asi)`, of a list that is declared outside. */
function isPushed(model: Model, node: Node, owner: Node): boolean {
  const method = methodOf(whole(node).parent);
  if (!method?.call.arguments.includes(whole(node))) return false;
  if (!/^(?:push|unshift)$/.test(method.name) || !outlives(model, method.object, owner))
    return false;
  const [definition] = model.variableOf(method.object)?.defs ?? [];
  return (definition?.node as Node | undefined)?.init?.type === 'ArrayExpression';
}

/** Whether the body calls anybody who could use what is kept while that is valid. */
function isUsed(model: Model, node: Node, owner: Node): boolean {
  const accessor = model.variableOf(node);
  const isPush = (call: Node) => call === whole(node).parent;
  let isSo = false;
  walk(owner.body, (inner) => {
    const isCall = /^(?:Call|New|TaggedTemplate)Expression$/.test(inner.type);
    if (isCall && !isPush(inner) && !isOwn(model, inner, accessor)) isSo = true;
    return !isSo && !(isFunction(inner) && model.givenTo(inner).length > 0);
  });
  return isSo;
}

/** A call of the accessor, also one in a chain; of a body that fails, its handler may use what is kept. */
function isOwn(model: Model, call: Node, accessor: unknown): boolean {
  const { object, name } = methodOf(call) ?? {};
  if (object === undefined || isFailing(name!)) return false;
  return model.variableOf(object) === accessor || isOwn(model, object, accessor);
}

/** Whether a variable is declared outside of the function. */
function outlives(model: Model, name: Node, owner: Node): boolean {
  const [definition] = model.variableOf(name)?.defs ?? [];
  return definition !== undefined && !isInside(definition.name as unknown as Node, owner);
}

/** Of arrow functions it's that of what is around them. */
function thisOutlives(node: Node, owner: Node): boolean {
  let fn = functionAround(node);
  while (fn?.type === 'ArrowFunctionExpression' && fn !== owner) fn = functionAround(fn);
  return fn === owner && fn.type === 'ArrowFunctionExpression';
}
