// A function that has to answer at once, and that is async, or returns a promise.

import type { Scope } from 'eslint';
import type { Given } from '../kinds.js';
import type { Model } from '../model.js';
import { isRead } from '../variables.js';
import { isPromise } from '../promises.js';
import { ruleOf } from '../rule.js';
import { isFunction, type Node, returnsOf, valuesIn, walk } from '../syntax.js';

export default ruleOf(
  {
    description: 'Error handlers and sinks answer at once: they are not async',
    messages: {
      handler:
        'An error handler decides at once, by `success`, by adding steps or by returning one: a promise is `InternalError`. Add an async step: `asi.add(async () => …)`.',
      sink: 'A sink takes its result at once: a promise is `InternalError`. What takes time belongs into the body of the `map`.',
    },
  },
  ({ model, report }) => {
    const look = (fn: Node): void => {
      const given = model.givenTo(fn).find(isAnswer);
      if (!given) return;
      const messageId = given.role;
      if (fn.generator) return;
      if (given.role === 'handler' && decides(model, fn)) return;
      if (fn.async) return report({ node: fn, messageId });
      for (const value of returnsOf(fn).flatMap((value) => (value ? valuesIn(value) : [])))
        if (isPromise(model, value)) report({ node: value, messageId });
    };
    return {
      ArrowFunctionExpression: look,
      FunctionExpression: look,
      FunctionDeclaration: look,
    };
  },
);

function isAnswer({ role }: Given): boolean {
  return role === 'handler' || role === 'sink';
}

/** Whether it may decide by its accessor before it returns: if it's async, before it awaits. */
function decides(model: Model, fn: Node): boolean {
  const accessor: Scope.Variable | undefined = model.accessorOf(fn);
  const [end = fn.range[1]] = awaitsOf(fn);
  const mayDecide = (use: Node) => !isRead(use) && use.range[0] < end;
  return accessor !== undefined && model.usesIn(fn, accessor).some(mayDecide);
}

/** Where it awaits, in the order of the text. */
function awaitsOf(fn: Node): number[] {
  const found: number[] = [];
  walk(fn.body, (node) => {
    if (node.type === 'AwaitExpression' || node.await) found.push(node.range[0]);
    return !isFunction(node);
  });
  return found.sort((one, other) => one - other);
}
