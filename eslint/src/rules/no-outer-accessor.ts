// An inner body that calls the accessor of an outer one: that isn't valid while the steps run that its body has added.

import type { Scope } from 'eslint';
import { isAdder, isAlwaysValid, isFailing, isOfAccessors } from '../api.js';
import type { Given } from '../kinds.js';
import type { Model } from '../model.js';
import { placementOf } from '../placement.js';
import { type Finding, type Mend, ruleOf } from '../rule.js';
import { bare, calledOf, functionAround, type Node, whole } from '../syntax.js';

export default ruleOf(
  {
    description: 'An inner body calls its own accessor, none of an outer body',
    mends: ['fix', 'offer'],
    messages: {
      outer:
        '`{{name}}` belongs to an outer body, and is not valid while the steps run that this has added. Call `{{own}}`.',
      none: '`{{name}}` belongs to an outer body, and is not valid while the steps run that this has added. Let this function take an accessor of its own, as its first parameter.',
      rename: 'Call `{{own}}`, the accessor of this body.',
    },
  },
  ({ model, report }) => ({
    Identifier(node: Node) {
      const kind = model.kindOf(node);
      if (kind?.is !== 'accessor' || kind.variable !== model.variableOf(node)) return;
      const call = callOf(node) ?? callByHelper(model, node);
      if (!call || model.asksIfValid(functionAround(node)!, kind.variable)) return;
      const inner = innerBody(model, node, kind.variable);
      if (inner) report(finding(model, node, call, inner));
    },
  }),
);

/** What is called of it there, that needs it to be valid. */
function callOf(use: Node): string | undefined {
  const name = calledOf(use)?.name;
  return name === undefined || isAlwaysValid(name) ? undefined : name;
}

/** What a function of the file calls of it, to which it is given there. */
function callByHelper(model: Model, node: Node): string | undefined {
  const value = whole(node);
  const call = value.parent;
  const place = call.type === 'CallExpression' ? call.arguments.indexOf(value) : -1;
  const helper = place < 0 ? undefined : model.functionNamed(bare(call.callee));
  const parameter = helper && model.variableOf(helper.params[place] ?? helper);
  if (!parameter) return undefined;
  const uses = model.usesIn(helper, parameter).filter((use) => functionAround(use) === helper);
  if (model.asksIfValid(helper, parameter)) return undefined;
  return uses.map(callOf).find((name) => name !== undefined && isOfAccessors(name));
}

/** The innermost body around, that runs inside of the step of the accessor's function. */
function innerBody(model: Model, node: Node, accessor: Scope.Variable): Node | undefined {
  const own = model.functionOf(accessor);
  const bodies: { fn: Node; given: readonly Given[] }[] = [];
  for (let fn = functionAround(node); fn && fn !== own; fn = functionAround(fn)) {
    const given = model.givenTo(fn).filter(({ role }) => role !== 'sink');
    if (given.length > 0) bodies.push({ fn, given });
  }
  const outermost = bodies.at(-1);
  if (!outermost?.given.every((given) => isInside(model, given))) return undefined;
  return bodies[0]!.given.some(({ role }) => role === 'cancel') ? undefined : bodies[0]!.fn;
}

function isInside(model: Model, given: Given): boolean {
  return given.role !== 'cancel' && placementOf(model, given) === 'inside';
}

function finding(model: Model, node: Node, call: string, inner: Node): Finding {
  const own = inner.params[0];
  const data = { name: node.name as string, own: own?.name ?? node.name };
  if (own && !model.accessorOf(inner)) return { node, messageId: 'none', data };
  const mend = mendOf(model, node, inner);
  const isSafe =
    callOf(node) !== undefined &&
    functionAround(node) === inner &&
    (isFailing(call) || isAdder(call) || call === 'success');
  return {
    node,
    messageId: own ? 'outer' : 'none',
    data,
    ...(mend && (isSafe ? { fix: mend } : { suggestion: { messageId: 'rename', ...mend } })),
  };
}

/** Its own accessor's name; a body without parameters gets one, of the name that is written there, if it has no other use. */
function mendOf(model: Model, node: Node, inner: Node): Mend | undefined {
  const own = inner.params[0];
  if (own) {
    const variable = model.variableOf(own);
    const isSeen = variable && model.sees(node, variable);
    return isSeen ? { changes: [[node.range, own.name]] } : undefined;
  }
  const open = model.openingOf(inner);
  const uses = model.usesIn(inner, model.variableOf(node)!);
  const areCalls = uses.every((use) => {
    const name = calledOf(use)?.name;
    return (
      functionAround(use) === inner && (name === 'success' || isFailing(name!) || isAdder(name!))
    );
  });
  return open && areCalls ? { changes: [[[open, open], node.name]] } : undefined;
}
