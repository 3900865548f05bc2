// A body that has ended its step, and goes on: success twice, success and steps, a returned value and steps.

import type { Scope } from 'eslint';
import { isAdder, isFailing } from '../api.js';
import type { Model } from '../model.js';
import { onPaths, type Paths } from '../paths.js';
import { ruleOf } from '../rule.js';
import { functionAround, isFunction, isPlainValue, methodOf, type Node } from '../syntax.js';

export default ruleOf(
  {
    description:
      'A body ends its step once: by `success`, by a returned value, or by the steps that it adds',
    messages: {
      twice:
        '`success` was called before on this way: the step fails with `InternalError`. `return` after the first.',
      stepsAfter:
        'The step has ended by `success` before: to add steps, too, fails it with `InternalError`. `return` after `success`, or let the last step have the result.',
      successAfter:
        'The step has steps, which end it: `success` beside them fails it with `InternalError`. Call it in the last of them, or `successStep`.',
      valueAfter:
        'The step has steps, which end it: a returned value beside them fails it with `InternalError`. Return it from the last of them, or call `successStep`.',
      valueOutside:
        'The step waits for its completion: a returned value beside `waitExternal()` fails it with `InternalError`. Give it to the completion.',
    },
  },
  ({ model, report }) =>
    onPaths((fn, happened, paths) => {
      const accessor = isFunction(fn) ? model.accessorOf(fn) : undefined;
      if (!accessor) return;
      const found = sort(model, fn, accessor, happened);
      for (const [node, messageId] of conflicts(paths(), found)) report({ node, messageId });
    }) as never,
);

interface Found {
  readonly successes: Node[];
  readonly additions: Node[];
  readonly waits: Node[];
  readonly values: Node[];
  readonly failures: Node[];
}

function sort(model: Model, fn: Node, accessor: Scope.Variable, happened: readonly Node[]): Found {
  const found: Found = { successes: [], additions: [], waits: [], values: [], failures: [] };
  const given = model.givenTo(fn);
  const takesValues = given.length > 0 && given.every(({ role }) => role === 'body');
  for (const node of happened) {
    if (node.type === 'ReturnStatement') {
      if (takesValues && node.argument && isPlainValue(node.argument)) found.values.push(node);
      continue;
    }
    const method = methodOf(node);
    if (!method || functionAround(node) !== fn || model.variableOf(method.object) !== accessor)
      continue;
    const { name } = method;
    if (name === 'success') found.successes.push(node);
    else if (name === 'waitExternal') found.waits.push(node);
    else if (isAdder(name)) found.additions.push(node);
    else if (isFailing(name)) found.failures.push(node);
  }
  return found;
}

/** What comes second of two that exclude each other. An error on the way counts alone. */
function conflicts(paths: Paths, found: Found): Map<Node, string> {
  const { successes, additions, waits, values, failures } = found;
  const second = new Map<Node, string>();
  const look = (firsts: readonly Node[], seconds: readonly Node[], message: string): void => {
    for (const node of seconds) {
      if (second.has(node)) continue;
      if (firsts.some((first) => first !== node && paths.areCertain(first, node, failures)))
        second.set(node, message);
    }
  };
  look(successes, successes, 'twice');
  look(successes, additions, 'stepsAfter');
  look(additions, successes, 'successAfter');
  const unsaid = new Set(
    values.filter((value) => !successes.some((said) => paths.areCertain(said, value, []))),
  );
  look(additions, [...unsaid], 'valueAfter');
  look(waits, [...unsaid], 'valueOutside');
  return second;
}
