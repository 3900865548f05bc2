// Which expressions are promises of something that begins when they are evaluated, for certain.

import type { Model } from './model.js';
import { bare, isFunction, methodOf, type Node } from './syntax.js';

/** Modules whose functions begin at once, and give promises. */
const beginning = /^(?:node:)?(?:fs|timers)\/promises$/;
const combining = /^(?:all|allSettled|any|race)$/;

/** Whether it is one; of `Promise.all` and the like whether one of its own is. */
export function begins(model: Model, node: Node): boolean {
  const value = bare(node);
  if (value.type !== 'CallExpression') return false;
  if (model.kindOf(value)?.is === 'promise') return true;
  const callee = bare(value.callee);
  if (isFunction(callee)) return callee.async;
  if (callee.type === 'Identifier') return isNamed(model, callee);
  const method = methodOf(value);
  if (!method) return false;
  const { object, name } = method;
  if (/^(?:then|catch|finally)$/.test(name)) return begins(model, object);
  if (object.name === 'Promise' && combining.test(name)) {
    const [list] = value.arguments;
    return (
      list?.type === 'ArrayExpression' &&
      list.elements.some((each: Node) => each && begins(model, each))
    );
  }
  return isOf(model, object, beginning);
}

/** The same, and what is a promise, whenever it has begun. */
export function isPromise(model: Model, node: Node): boolean {
  const value = bare(node);
  if (value.type === 'NewExpression')
    return value.callee.name === 'Promise' && !isDeclared(model, value.callee);
  if (value.type === 'ImportExpression' || begins(model, value)) return true;
  const method = methodOf(value);
  if (!method) return false;
  if (/^(?:then|catch|finally)$/.test(method.name)) return isPromise(model, method.object);
  return (
    method.object.name === 'Promise' &&
    !isDeclared(model, method.object) &&
    /^(?:all|allSettled|any|race|resolve|reject)$/.test(method.name)
  );
}

function isDeclared(model: Model, name: Node): boolean {
  return (model.variableOf(name)?.defs.length ?? 0) > 0;
}

/** `fetch`, an async function of the file, or one of those modules. */
function isNamed(model: Model, callee: Node): boolean {
  if (!isDeclared(model, callee)) return callee.name === 'fetch';
  const fn = model.functionNamed(callee);
  return fn ? fn.async && !fn.generator : isOf(model, callee, beginning);
}

/** Whether it's imported from such a module. */
export function isOf(model: Model, name: Node, modules: RegExp): boolean {
  const [definition] = model.variableOf(name)?.defs ?? [];
  if (definition?.type !== 'ImportBinding') return false;
  const { source } = definition.parent as unknown as Node;
  return typeof source?.value === 'string' && modules.test(source.value);
}
