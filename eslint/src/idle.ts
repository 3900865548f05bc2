// Whether a function may do nothing: on some way through it calls nothing, changes nothing and decides nothing.

import type { Scope } from 'eslint';
import type { Model } from './model.js';
import { isRead } from './variables.js';
import { bare, calledOf, functionAround, isFunction, methodOf, type Node, walk } from './syntax.js';

/** `maybe` hangs on one condition. Two of them may never be true together. */
type Idleness = 'always' | 'maybe' | 'never';

/** Of a body; what it adds is looked at, too. */
export function mayIdle(model: Model, fn: Node): boolean {
  return idlenessOf(model, fn) !== 'never';
}

function idlenessOf(model: Model, fn: Node): Idleness {
  if (fn.generator || throws(fn)) return 'never';
  const accessor = model.accessorOf(fn);
  if (!accessor && fn.params.some(({ type }: Node) => type !== 'Identifier')) return 'never';
  if (accessor && !model.usesIn(fn, accessor).every((use) => isQuiet(fn, use))) return 'never';
  const of = new Idle(model, accessor);
  if (fn.body.type === 'BlockStatement') return of.block(fn.body.body);
  return bare(fn.body).type === 'CallExpression' ? of.expression(fn.body) : 'never';
}

function throws(fn: Node): boolean {
  let isSo = false;
  walk(fn.body, (node) => {
    if (node.type === 'ThrowStatement') isSo = true;
    return !isSo && !isFunction(node);
  });
  return isSo;
}

/** Whether it neither ends the step nor lets it wait, nor gives the accessor away. */
function isQuiet(fn: Node, use: Node): boolean {
  if (isRead(use)) return true;
  const name = calledOf(use)?.name;
  return name !== undefined && functionAround(use) === fn && isQuietCall(name);
}

const isQuietCall = (name: string): boolean => /^(?:add|relinquish|remaining)$/.test(name);

class Idle {
  private readonly model: Model;
  private readonly accessor: Scope.Variable | undefined;

  constructor(model: Model, accessor: Scope.Variable | undefined) {
    this.model = model;
    this.accessor = accessor;
  }

  block([first, ...rest]: readonly Node[]): Idleness {
    if (!first) return 'always';
    if (first.type === 'ReturnStatement') return first.argument ? 'never' : 'always';
    if (first.type !== 'IfStatement') return both(this.statement(first), this.block(rest));
    const { test, consequent, alternate } = first;
    if (!isPure(test)) return 'never';
    const [one, other] = [consequent, alternate].map((branch) => (branch ? [branch] : []));
    // Behind `if (…) return;` the rest is another branch.
    if (!alternate && leaves(consequent)) return either(this.block(one!), this.block(rest));
    return both(either(this.block(one!), this.block(other!)), this.block(rest));
  }

  /** A chain of calls, or what only looks. */
  expression(node: Node): Idleness {
    const method = methodOf(node);
    if (!method) return isPure(node) ? 'always' : 'never';
    const { object, name, call } = method;
    const isFirst = this.accessor !== undefined && this.model.variableOf(object) === this.accessor;
    if (!isQuietCall(name) || !(isFirst || methodOf(object))) return 'never';
    return both(isFirst ? 'always' : this.expression(object), this.added(call.arguments));
  }

  /** What a call adds. */
  private added([argument, ...more]: readonly Node[]): Idleness {
    if (!argument) return 'always';
    const body = bare(argument);
    return more.length === 0 && isFunction(body) ? idlenessOf(this.model, body) : 'never';
  }

  private statement(node: Node): Idleness {
    if (node.type === 'BlockStatement') return this.block(node.body);
    if (node.type === 'ExpressionStatement') return this.expression(node.expression);
    const looks = /^(?:Empty|VariableDecl)/.test(node.type) && isPure(node);
    return looks ? 'always' : 'never';
  }
}

function leaves(branch: Node): boolean {
  const last = branch.type === 'BlockStatement' ? branch.body.at(-1) : branch;
  return last?.type === 'ReturnStatement';
}

function either(one: Idleness, other: Idleness): Idleness {
  return one === other ? one : 'maybe';
}

function both(one: Idleness, other: Idleness): Idleness {
  if (one === 'always') return other;
  return other === 'always' ? one : 'never';
}

const acting = /^(?:Assignment|Await|Call|Import|New|TaggedTemplate|Update|Yield)Expression$/;

/** Whether it only looks at what is there. */
function isPure(node: Node): boolean {
  let isSo = true;
  walk(node, (inner) => {
    if (acting.test(inner.type) || inner.operator === 'delete' || inner.type.startsWith('Class'))
      isSo = false;
    return isSo && !isFunction(inner);
  });
  return isSo;
}
