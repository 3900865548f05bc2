// What of a file is steptree's: which expressions are accessors, flows or step values, and which functions are given to it as what.
// It's found by names and places alone. What can't be told is `undefined`, and no rule says anything of it.
//
//     rules    model    values, placement    accessors, given    kinds, variables, memo    api, syntax

import type { SourceCode } from 'eslint';
import { isAccessor } from './accessors.js';
import { givenAt, placesOf } from './given.js';
import type { Given, Kind, Knowledge } from './kinds.js';
import { Memo } from './memo.js';
import { bare, calledOf, isFunction, isInside, type Node } from './syntax.js';
import { kindOfValue, kindOfVariable } from './values.js';
import { isConstant, usesOf, type Variable, variablesOf } from './variables.js';

const models = new WeakMap<SourceCode, Model>();

/** `settings.steptree.modules`: names under which a program imports what steptree exports, beside its own. */
export function modelOf(sourceCode: SourceCode, settings: Record<string, unknown>): Model {
  let model = models.get(sourceCode);
  if (model === undefined) {
    const own = settings.steptree as { modules?: readonly string[] } | undefined;
    model = new Model(sourceCode, ['steptree', ...(own?.modules ?? [])]);
    models.set(sourceCode, model);
  }
  return model;
}

export class Model extends Memo implements Knowledge {
  private readonly modules: ReadonlySet<unknown>;
  private readonly variables: ReadonlyMap<unknown, Variable>;
  private readonly kinds = new Map<Variable, Kind | undefined>();
  private readonly given = new Map<Node, readonly Given[]>();
  private readonly scopes: SourceCode['scopeManager'];
  private readonly text: string;

  constructor({ scopeManager, text }: SourceCode, modules: readonly string[]) {
    super();
    this.modules = new Set(modules);
    this.scopes = scopeManager;
    this.text = text;
    this.variables = variablesOf(scopeManager);
  }

  isModule(name: unknown): boolean {
    return this.modules.has(name);
  }

  variableOf(node: Node): Variable | undefined {
    return this.variables.get(node);
  }

  kindOf(node: Node): Kind | undefined {
    const value = bare(node);
    if (value.type !== 'Identifier') return kindOfValue(this, value);
    const variable = this.variableOf(value);
    return variable && this.looked(this.kinds, variable, () => kindOfVariable(this, variable));
  }

  givenTo(fn: Node): readonly Given[] {
    const look = () => placesOf(this, fn).flatMap((place) => givenAt(this, place) ?? []);
    return this.looked(this.given, fn, look) ?? [];
  }

  /** The accessor of a function that is a body, a handler, or says by its parameter's type that it gets one. */
  accessorOf(fn: Node): Variable | undefined {
    const parameter = fn.params.find(({ name }: Node) => name !== 'this');
    const variable = parameter && this.variableOf(parameter);
    return variable && isAccessor(this, variable) ? variable : undefined;
  }

  /** The function whose accessor it is. */
  functionOf(accessor: Variable): Node {
    return accessor.defs[0]!.node as unknown as Node;
  }

  /** The function of the file that a name stands for. */
  functionNamed(name: Node): Node | undefined {
    const variable = this.variableOf(name);
    const node = variable?.defs[0]?.node as Node | undefined;
    if (!variable || !node || !isConstant(variable)) return undefined;
    if (node.type === 'FunctionDeclaration') return node;
    return node.type === 'VariableDeclarator' && node.init && isFunction(node.init)
      ? node.init
      : undefined;
  }

  /** Where a variable is read in a function. */
  usesIn(fn: Node, variable: Variable): Node[] {
    return usesOf(variable).filter((use) => isInside(use, fn));
  }

  /** Whether a function asks an accessor if it's valid. */
  asksIfValid(fn: Node, accessor: Variable): boolean {
    return this.usesIn(fn, accessor).some((use) => calledOf(use)?.name === 'valid');
  }

  /** Whether the name of a variable stands for it there. */
  sees(place: Node, { name, scope }: Variable): boolean {
    for (let node = place; node; node = node.parent) {
      const inner = this.scopes.acquire(node as never, true);
      if (inner === scope) return true;
      if (inner?.set.has(name)) return false;
    }
    return false;
  }

  /** Where parameters of a function are to be written that has none: `() =>`, `function ()`. */
  openingOf(fn: Node): number | undefined {
    if (fn.params.length > 0) return undefined;
    const from = fn.id ? fn.id.range[1] : fn.range[0];
    const open = this.text.slice(from, fn.body.range[0]).indexOf('(');
    return open < 0 || fn.typeParameters ? undefined : from + open + 1;
  }
}
