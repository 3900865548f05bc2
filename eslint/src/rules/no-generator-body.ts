// A generator function in the place of a body or handler: nobody would run what is inside.

import { ruleOf } from '../rule.js';
import type { Node } from '../syntax.js';

export default ruleOf(
  {
    description: 'A generator function is no body',
    messages: {
      generator:
        'Nobody runs what is inside of this generator function. Add a step for each part, or give what it generates to `forEach` or `map`.',
    },
  },
  ({ model, report }) => {
    const look = (fn: Node): void => {
      if (fn.generator && model.givenTo(fn).length > 0)
        report({ node: fn, messageId: 'generator' });
    };
    return { FunctionExpression: look, FunctionDeclaration: look };
  },
);
