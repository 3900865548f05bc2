// What functions are given to which calls.

import { type Role, roleInFunction, roleInMethod, takesBodiesOnly } from './api.js';
import type { Given, Knowledge } from './kinds.js';
import { methodOf, type Node, valueAround, whole } from './syntax.js';
import { isConstant, usesOf } from './variables.js';

/** Where a function stands, by itself or by its name. */
export function placesOf(model: Knowledge, fn: Node): readonly Node[] {
  const { parent } = whole(fn);
  const name =
    fn.type === 'FunctionDeclaration'
      ? fn.id
      : parent.type === 'VariableDeclarator' && parent.id.type === 'Identifier'
        ? parent.id
        : undefined;
  if (!name) return [fn];
  const variable = model.variableOf(name);
  return variable && isConstant(variable) ? usesOf(variable) : [];
}

/** What a call does with what stands there. */
export function givenAt(model: Knowledge, node: Node): Given | undefined {
  let value = valueAround(node);
  if (value.parent.type === 'Property' && value.parent.value === value)
    return sinkIn(model, value.parent);
  if (value.parent.type === 'ArrayExpression' && value.parent.parent.type === 'SpreadElement')
    value = value.parent.parent;
  const call = value.parent;
  if (call.type !== 'CallExpression') return undefined;
  const place = call.arguments.indexOf(value);
  if (place < 0) return undefined;
  const role = roleAt(model, call, place);
  return role && { role, call };
}

function roleAt(model: Knowledge, call: Node, place: number): Role | undefined {
  const callee = model.kindOf(call.callee);
  const isSpread = ({ type }: Node) => type === 'SpreadElement';
  const isSure = !call.arguments.slice(0, place + 1).some(isSpread);
  if (callee?.is === 'export') {
    if (!isSure && !takesBodiesOnly(callee.name)) return undefined;
    return roleInFunction(callee.name, place);
  }
  const method = methodOf(call);
  const owner = method && model.kindOf(method.object);
  if (!method || !owner || !isSure) return undefined;
  switch (owner.is) {
    case 'accessor':
    case 'adder':
    case 'flow':
    case 'parallel':
      return roleInMethod(method.name, place);
    case 'step':
      return method.name === 'onError' && place === 0 ? 'handler' : undefined;
    case 'starter':
      return /^(?:run|start)$/.test(method.name) && place === 0 ? 'body' : undefined;
    default:
      return undefined;
  }
}

/** `map(source, { sink }, body)`. */
function sinkIn(model: Knowledge, { key, parent: options }: Node): Given | undefined {
  const call = options.parent;
  if (key.name !== 'sink' || call.type !== 'CallExpression') return undefined;
  const callee = model.kindOf(call.callee);
  const isOfMap = callee?.is === 'export' && callee.name === 'map';
  return isOfMap && call.arguments[1] === options ? { role: 'sink', call } : undefined;
}
