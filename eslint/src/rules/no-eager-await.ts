// `asi.add(wait).await(charge())` charges when the steps are added, not after the wait.

import type { Scope } from 'eslint';
import { isAdder } from '../api.js';
import type { Kind } from '../kinds.js';
import type { Model } from '../model.js';
import { onPaths } from '../paths.js';
import { begins } from '../promises.js';
import { type Look, ruleOf } from '../rule.js';
import { isFunction, isInside, type Method, methodOf, type Node, walk } from '../syntax.js';

export default ruleOf(
  {
    description: 'What a step awaits begins when that opens, not when it is added',
    mends: ['offer'],
    messages: {
      eager:
        'What is awaited here, {{call}}, begins now, when the steps are added, not after those before it. Let a body begin it: `.add(() => …)`. If it is meant, make it before, in a variable.',
      later: 'Begin it when the step opens: `.add(() => …)`.',
    },
  },
  (look) =>
    onPaths((_fn, happened, paths) => {
      const { model } = look;
      const additions = happened
        .flatMap((node) => methodOf(node) ?? [])
        .filter(({ name }) => isAdder(name));
      for (const method of additions) {
        const [awaited] = method.call.arguments;
        if (method.name !== 'await' || !awaited || !begins(model, awaited)) continue;
        const owner = ownerOf(model, method);
        const isBefore = (other: Method): boolean =>
          !isInside(other.call, method.call) &&
          !isBranch(model, other) &&
          ownerOf(model, other)?.variable === owner?.variable &&
          paths().areCertain(other.call, method.call, []);
        if (owner?.adds || (owner?.variable && additions.some(isBefore)))
          report(look, method, awaited);
      }
    }) as never,
);

function report({ report, text }: Look, { call }: Method, awaited: Node): void {
  const { property } = call.callee;
  const data = { call: briefly(text(awaited)) };
  report({
    node: awaited,
    messageId: 'eager',
    data,
    suggestion: isMovable(awaited)
      ? {
          messageId: 'later',
          changes: [
            [property.range, 'add'],
            [[awaited.range[0], awaited.range[0]], '() => '],
          ],
        }
      : undefined,
  });
}

/** As much of a call as fits a line. */
function briefly(words: string): string {
  if (words.length <= 40 && !words.includes('\n')) return `\`${words}\``;
  const name = /^[\w.$]+(?=\()/.exec(words)?.[0];
  return name === undefined ? 'an async function' : `\`${name}(…)\``;
}

/** Whose steps they are, and whether the chain itself has added some before. */
interface Owner {
  readonly variable: Scope.Variable | undefined;
  readonly adds: boolean;
}

function ownerOf(model: Model, { object }: Method): Owner | undefined {
  let adds = false;
  let kind: Kind | undefined = model.kindOf(object);
  let inner = object;
  for (let method = methodOf(inner); method && kind; method = methodOf(inner)) {
    inner = method.object;
    if (!isAdder(method.name)) break;
    const before = model.kindOf(inner);
    if (kind.is !== 'parallel' && method.name !== 'parallel') adds = true;
    kind = before;
  }
  if (kind?.is !== 'accessor' && kind?.is !== 'flow') return undefined;
  return { variable: model.variableOf(inner), adds };
}

/** Whether it adds to a parallel step. */
function isBranch(model: Model, { object }: Method): boolean {
  return model.kindOf(object)?.is === 'parallel';
}

/** Whether it means the same in a function of its own. */
function isMovable(awaited: Node): boolean {
  let isSame = true;
  walk(awaited, (node) => {
    if (/^(?:Await|Yield)Expression$/.test(node.type) || node.name === 'arguments') isSame = false;
    return isSame && !isFunction(node);
  });
  return isSame;
}
