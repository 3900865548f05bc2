// A step value or a flow that is made, and that nobody runs.

import type { Scope } from 'eslint';
import { isAdder, isMethodOfSteps } from '../api.js';
import type { Kind } from '../kinds.js';
import type { Model } from '../model.js';
import { isConstant, usesOf } from '../variables.js';
import { ruleOf } from '../rule.js';
import { bare, calledOf, isFunction, type Node, valuesIn, whole } from '../syntax.js';

export default ruleOf(
  {
    description: 'A step that is made is added, returned or run; a flow that is filled is executed',
    messages: {
      step: 'This step is made, and nobody runs it. Add it, `asi.add(…)`, return it from a body, or `run(…)` it.',
      changed: 'A step never changes: `{{name}}` gives another one, which nobody runs.',
      flow: 'Nobody executes this flow: call its `promise()` or `execute()`.',
      variable:
        '`{{name}}` is filled, and nobody executes it: call `{{name}}.promise()` or `{{name}}.execute()`.',
      awaited:
        'This `await` waits for nothing: a step or flow is no promise. `await run(…)` runs a step, `await flow.promise()` a flow.',
    },
  },
  ({ model, report }) => ({
    ExpressionStatement({ expression }: Node) {
      for (const value of valuesIn(expression)) {
        if (value.type !== 'CallExpression') continue;
        const kind = model.kindOf(value);
        if (kind?.is === 'step') {
          const method = bare(value.callee).type === 'MemberExpression' && bare(value.callee);
          const isOfVariable = method && bare(method.object).type === 'Identifier';
          if (isOfVariable && isMethodOfSteps(method.property.name))
            report({ node: value, messageId: 'changed', data: { name: method.property.name } });
          else report({ node: value, messageId: 'step' });
        } else if (isIdle(kind, value)) report({ node: value, messageId: 'flow' });
      }
    },
    AwaitExpression(node: Node) {
      const kind = model.kindOf(node.argument);
      if (kind?.is === 'step' || kind?.is === 'flow') report({ node, messageId: 'awaited' });
    },
    VariableDeclarator({ id, init, parent }: Node) {
      if (!init || id.type !== 'Identifier' || parent.parent.type === 'ExportNamedDeclaration')
        return;
      if (model.kindOf(init)?.is !== 'flow') return;
      const variable = model.variableOf(id);
      if (variable && variable.scope.type !== 'global' && isFilled(model, variable, init))
        report({ node: id, messageId: 'variable', data: { name: id.name } });
    },
  }),
);

/** A flow that is made and filled in one expression; not one that has a name. */
function isIdle(kind: Kind | undefined, value: Node): boolean {
  if (kind?.is === 'parallel') return isIdle(kind.of, value);
  if (kind?.is !== 'flow') return false;
  let inner = value;
  while (inner !== kind.maker && inner.type === 'CallExpression')
    inner = bare(bare(inner.callee).object);
  return inner === kind.maker && value !== kind.maker;
}

/** Whether steps are added to it, and nothing else is done with it that could lead to its execution. */
function isFilled(model: Model, flow: Scope.Variable, init: Node): boolean {
  if (!isConstant(flow)) return false;
  const uses = usesOf(flow).map((use) => onlyFills(model, use));
  if (uses.includes(undefined)) return false;
  return uses.includes(true) || bare(init).type === 'CallExpression';
}

const harmless = /^(?:cancel|closed|running|newInstance)$/;

/** Whether a use adds steps; undefined if it does something else than to look at the flow, or to cancel it. */
function onlyFills(model: Model, use: Node): boolean | undefined {
  let method = calledOf(use);
  if (!method) return isState(use) ? false : undefined;
  if (harmless.test(method.name)) return false;
  while (method && isAdder(method.name)) {
    const value = whole(method.call);
    const { parent } = value;
    if (parent.type === 'ExpressionStatement') return true;
    if (isFunction(parent)) return undefined;
    if (parent.type === 'VariableDeclarator' && model.kindOf(method.call)?.is === 'parallel')
      return isBranches(model, parent.id) ? true : undefined;
    method = calledOf(method.call);
  }
  return undefined;
}

/** `const branches = flow.parallel()`, to which others are added. */
function isBranches(model: Model, id: Node): boolean {
  const variable = model.variableOf(id);
  return variable !== undefined && usesOf(variable).every((use) => calledOf(use) !== undefined);
}

function isState(use: Node): boolean {
  const { parent } = whole(use);
  return parent.type === 'MemberExpression' && !parent.computed && parent.property.name === 'state';
}
