// An error handler that returns a value, as the `catch` of a promise does: nobody gets it, and the error goes on.

import { isRead } from '../variables.js';
import { ruleOf } from '../rule.js';
import { isPlainValue, type Node, returnsOf, valuesIn } from '../syntax.js';

export default ruleOf(
  {
    description: 'An error handler recovers by `success`, not by a returned value',
    mends: ['offer'],
    messages: {
      dropped:
        'A value that an error handler returns is dropped, and the error goes on. Recover by `{{call}}`.',
      success: 'Write `{{call}}`.',
    },
  },
  ({ model, report, text }) => {
    const look = (fn: Node): void => {
      const given = model.givenTo(fn);
      if (given.length === 0 || given.some(({ role }) => role !== 'handler')) return;
      const accessor = model.accessorOf(fn);
      if (fn.async || fn.generator) return;
      // It has decided before, or somebody has for it.
      if (accessor && !model.usesIn(fn, accessor).every(isRead)) return;
      for (const value of returnsOf(fn).flatMap((each) => (each ? valuesIn(each) : []))) {
        if (!isPlainValue(value)) continue;
        const call = `${accessor?.name ?? 'asi'}.success(${text(value)})`;
        const open = model.openingOf(fn);
        const changes = accessor
          ? [[value.range, call] as const]
          : open === undefined
            ? undefined
            : [[[open, open], 'asi'] as const, [value.range, call] as const];
        report({
          node: value,
          messageId: 'dropped',
          data: { call },
          suggestion: changes && { messageId: 'success', changes },
        });
      }
    };
    return {
      ArrowFunctionExpression: look,
      FunctionExpression: look,
      FunctionDeclaration: look,
    };
  },
);
