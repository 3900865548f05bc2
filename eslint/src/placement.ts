// Where what a function adds is run.

import { isMethodOfSteps } from './api.js';
import { givenAt } from './given.js';
import type { Given, Kind, Knowledge } from './kinds.js';
import { calledOf, functionAround, methodOf, type Node, valueAround } from './syntax.js';
import { isConstant, usesOf } from './variables.js';

/** Whether what it adds runs inside of the step around it, or in a flow of its own. */
export type Placement = 'inside' | 'apart' | undefined;

/** Of a function that is written where it's given. */
export function placementOf(model: Knowledge, { call }: Given): Placement {
  const method = methodOf(call);
  const owner = method && model.kindOf(method.object);
  if (owner !== undefined && owner.is !== 'module') {
    if (owner.is === 'step') return destinationOf(model, call);
    return placementIn(owner);
  }
  const callee = model.kindOf(call.callee);
  if (callee?.is !== 'export') return undefined;
  return callee.name === 'run' ? 'apart' : destinationOf(model, call);
}

/** Where a step value goes. */
function destinationOf(model: Knowledge, call: Node): Placement {
  const method = calledOf(call);
  if (method) return isMethodOfSteps(method.name) ? destinationOf(model, method.call) : undefined;
  const value = valueAround(call);
  const given = givenAt(model, call);
  if (given) return placementOf(model, given);
  const { parent } = value;
  if (parent.type === 'VariableDeclarator' && parent.id.type === 'Identifier') {
    const variable = model.variableOf(parent.id);
    if (!variable || !isConstant(variable)) return undefined;
    const places = usesOf(variable).map((use) => model.once(use, () => destinationOf(model, use)));
    return places.length > 0 && places.every((place) => place === 'inside') ? 'inside' : undefined;
  }
  const fn = functionAround(value);
  const isReturned = parent.type === 'ReturnStatement' || (parent === fn && parent.body === value);
  if (!fn || !isReturned) return undefined;
  const givenTo = model.givenTo(fn);
  const runs = givenTo.length > 0 && givenTo.every(({ role }) => /body|handler/.test(role));
  return runs ? 'inside' : undefined;
}

function placementIn(owner: Kind): Placement {
  if (owner.is === 'parallel') return placementIn(owner.of);
  if (owner.is === 'accessor') return 'inside';
  return owner.is === 'flow' || owner.is === 'starter' ? 'apart' : undefined;
}
