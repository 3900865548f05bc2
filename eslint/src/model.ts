// What of a file is steptree's: which expressions are accessors, flows or step values, and which functions are given to it as what.
// It's found by names and places alone. What can't be told is `undefined`, and no rule says anything of it.

import type { Scope, SourceCode } from 'eslint';
import {
  isAdder,
  isAlwaysValid,
  isFactory,
  isMethodOfSteps,
  type Role,
  roleInFunction,
  roleInMethod,
  takesBodiesOnly,
} from './api.js';
import {
  bare,
  calledOf,
  functionAround,
  isFunction,
  isInside,
  methodOf,
  type Node,
  valueAround,
  whole,
} from './syntax.js';

type Variable = Scope.Variable;

/** What an expression is. */
export type Kind =
  /** `import * as steptree`. */
  | { readonly is: 'module' }
  /** What the package exports by that name. */
  | { readonly is: 'export'; readonly name: string }
  /** Of the function whose first parameter the variable is. */
  | { readonly is: 'accessor'; readonly variable: Variable }
  /** Made by that expression. */
  | { readonly is: 'flow'; readonly maker: Node }
  /** What `parallel()` gives; `of` has called that. */
  | { readonly is: 'parallel'; readonly of: Kind }
  /** A flow, an accessor or a parallel step: which, can't be told. */
  | { readonly is: 'adder' }
  /** A step value. */
  | { readonly is: 'step' }
  /** What starts flows of its own: a tool or a scope. */
  | { readonly is: 'starter' }
  /** Of a flow that it has executed. */
  | { readonly is: 'promise' };

/** What a function is to the call that it is given to. */
export interface Given {
  readonly role: Role;
  readonly call: Node;
}

/** Whether what it adds runs inside of the step around it, or in a flow of its own. */
export type Placement = 'inside' | 'apart' | undefined;

/** Classes whose objects start flows of their own. */
const starters = /^(?:Scope|AsyncTool|VirtualTool)$/;

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

export class Model {
  private readonly modules: ReadonlySet<unknown>;
  private readonly variables = new Map<unknown, Variable>();
  private readonly kinds = new Map<Variable, Kind | undefined>();
  private readonly given = new Map<Node, readonly Given[]>();
  /** What is being looked for, and how often that was needed to be found. */
  private readonly busy = new Set<unknown>();
  private circles = 0;

  private readonly scopes: SourceCode['scopeManager'];
  private readonly text: string;

  constructor({ scopeManager, text }: SourceCode, modules: readonly string[]) {
    this.modules = new Set(modules);
    this.scopes = scopeManager;
    this.text = text;
    for (const scope of scopeManager.scopes) {
      for (const variable of scope.variables)
        for (const name of variable.identifiers) this.variables.set(name, variable);
      for (const { identifier, resolved } of scope.references)
        if (resolved) this.variables.set(identifier, resolved);
    }
  }

  /** The variable that a name stands for; of one that the file doesn't declare none. */
  variableOf(node: Node): Variable | undefined {
    return node.type === 'Identifier' ? this.variables.get(node) : undefined;
  }

  kindOf(node: Node): Kind | undefined {
    const value = bare(node);
    switch (value.type) {
      case 'Identifier': {
        const variable = this.variables.get(value);
        return variable && this.looked(this.kinds, variable, () => this.kindOfVariable(variable));
      }
      case 'MemberExpression':
        return value.computed ? undefined : this.kindOfMember(value);
      case 'NewExpression':
        return this.kindOfNew(value);
      case 'CallExpression':
        return this.kindOfCall(value);
      case 'AwaitExpression': {
        const loaded = bare(value.argument);
        return loaded.type === 'ImportExpression' ? this.moduleOf(loaded.source) : undefined;
      }
      default:
        return undefined;
    }
  }

  /** What a function is to all calls that it's given to. */
  givenTo(fn: Node): readonly Given[] {
    const look = () => this.placesOf(fn).flatMap((place) => this.givenAt(place) ?? []);
    return this.looked(this.given, fn, look) ?? [];
  }

  /** The accessor of a function that is a body, a handler, or says by its parameter's type that it gets one. */
  accessorOf(fn: Node): Variable | undefined {
    const parameter = fn.params.find(({ name }: Node) => name !== 'this');
    const variable = parameter && this.variables.get(parameter);
    return variable && this.isAccessor(variable) ? variable : undefined;
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

  /** Of a function that is written where it's given. */
  placementOf({ call }: Given): Placement {
    const method = methodOf(call);
    const owner = method && this.kindOf(method.object);
    if (owner !== undefined && owner.is !== 'module') {
      if (owner.is === 'step') return this.destinationOf(call);
      return placementIn(owner);
    }
    const callee = this.kindOf(call.callee);
    if (callee?.is !== 'export') return undefined;
    return callee.name === 'run' ? 'apart' : this.destinationOf(call);
  }

  /** The first parameter of functions that are given as that, and their parameter's type. */
  private isAccessor(variable: Variable): boolean {
    const [definition, ...more] = variable.defs;
    if (definition?.type !== 'Parameter' || more.length > 0 || !isConstant(variable)) return false;
    const fn = definition.node as unknown as Node;
    const name = definition.name as unknown as Node;
    if (!isFunction(fn) || !fn.params.includes(name)) return false;
    const typed = this.typedAs(name);
    if (typed) return typed.is === 'accessor';
    const first = fn.params.find((parameter: Node) => parameter.name !== 'this');
    const given = first === name ? this.givenTo(fn) : [];
    return given.length > 0 && given.every(({ role }) => role !== 'sink');
  }

  /** What a parameter's type says, by its name. */
  private typedAs(parameter: Node): Kind | undefined {
    const type = parameter.typeAnnotation?.typeAnnotation;
    if (type?.type !== 'TSTypeReference') return undefined;
    const { typeName } = type;
    const name =
      typeName.type === 'TSQualifiedName'
        ? this.kindOf(typeName.left)?.is === 'module' && typeName.right.name
        : nameOf(this.kindOf(typeName));
    if (/^(?:AsyncSteps|IFlow)$/.test(name)) return { is: 'flow', maker: parameter };
    if (/^(?:IAdder|IParallel|ISteps)$/.test(name)) return { is: 'adder' };
    if (starters.test(name)) return { is: 'starter' };
    const variable = this.variableOf(parameter);
    return name === 'IAsyncSteps' && variable ? { is: 'accessor', variable } : undefined;
  }

  /** Where a function stands, by itself or by its name. */
  private placesOf(fn: Node): readonly Node[] {
    const { parent } = whole(fn);
    const name =
      fn.type === 'FunctionDeclaration'
        ? fn.id
        : parent.type === 'VariableDeclarator' && parent.id.type === 'Identifier'
          ? parent.id
          : undefined;
    if (!name) return [fn];
    const variable = this.variables.get(name);
    return variable && isConstant(variable) ? usesOf(variable) : [];
  }

  /** What a call does with what stands there. */
  private givenAt(node: Node): Given | undefined {
    let value = valueAround(node);
    if (value.parent.type === 'Property' && value.parent.value === value)
      return this.sinkIn(value.parent);
    if (value.parent.type === 'ArrayExpression' && value.parent.parent.type === 'SpreadElement')
      value = value.parent.parent;
    const call = value.parent;
    if (call.type !== 'CallExpression') return undefined;
    const place = call.arguments.indexOf(value);
    if (place < 0) return undefined;
    const role = this.roleAt(call, place);
    return role && { role, call };
  }

  private roleAt(call: Node, place: number): Role | undefined {
    const callee = this.kindOf(call.callee);
    const isSpread = ({ type }: Node) => type === 'SpreadElement';
    const isSure = !call.arguments.slice(0, place + 1).some(isSpread);
    if (callee?.is === 'export') {
      if (!isSure && !takesBodiesOnly(callee.name)) return undefined;
      return roleInFunction(callee.name, place);
    }
    const method = methodOf(call);
    const owner = method && this.kindOf(method.object);
    if (!method || !owner || !isSure) return undefined;
    switch (owner.is) {
      case 'accessor':
      case 'adder':
      case 'flow':
      case 'parallel':
        return roleInMethod(method.name, place);
      case 'step':
        return method.name === 'onError' && place === 0 ? 'handler' : undefined;
      case 'starter':
        return /^(?:run|start)$/.test(method.name) && place === 0 ? 'body' : undefined;
      default:
        return undefined;
    }
  }

  /** `map(source, { sink }, body)`. */
  private sinkIn({ key, parent: options }: Node): Given | undefined {
    const call = options.parent;
    if (key.name !== 'sink' || call.type !== 'CallExpression') return undefined;
    const callee = this.kindOf(call.callee);
    const isOfMap = callee?.is === 'export' && callee.name === 'map';
    return isOfMap && call.arguments[1] === options ? { role: 'sink', call } : undefined;
  }

  /** Where a step value goes. */
  private destinationOf(call: Node): Placement {
    const method = calledOf(call);
    if (method) return isMethodOfSteps(method.name) ? this.destinationOf(method.call) : undefined;
    const value = valueAround(call);
    const given = this.givenAt(call);
    if (given) return this.placementOf(given);
    const { parent } = value;
    if (parent.type === 'VariableDeclarator' && parent.id.type === 'Identifier') {
      const variable = this.variables.get(parent.id);
      if (!variable || !isConstant(variable)) return undefined;
      const places = usesOf(variable).map((use) => this.once(use, () => this.destinationOf(use)));
      return places.length > 0 && places.every((place) => place === 'inside')
        ? 'inside'
        : undefined;
    }
    const fn = functionAround(value);
    const isReturned =
      parent.type === 'ReturnStatement' || (parent === fn && parent.body === value);
    if (!fn || !isReturned) return undefined;
    const givenTo = this.givenTo(fn);
    const runs = givenTo.length > 0 && givenTo.every(({ role }) => /body|handler/.test(role));
    return runs ? 'inside' : undefined;
  }

  private kindOfVariable(variable: Variable): Kind | undefined {
    const [definition, ...more] = variable.defs;
    if (!definition || more.length > 0) return undefined;
    const node = definition.node as unknown as Node;
    if (definition.type === 'ImportBinding') return this.kindOfImport(node, definition.parent);
    if (this.isAccessor(variable)) return { is: 'accessor', variable };
    if (definition.type === 'Parameter' && isConstant(variable))
      return this.typedAs(definition.name as unknown as Node);
    if (definition.type !== 'Variable' || !node.init || !isConstant(variable)) return undefined;
    if (node.id.type === 'Identifier') return this.kindOf(node.init);
    if (node.id.type !== 'ObjectPattern' || this.kindOf(node.init)?.is !== 'module')
      return undefined;
    const property = node.id.properties.find(
      ({ value }: Node) => (value?.left ?? value) === definition.name,
    );
    return property?.key.name && exportOf(property.key.name);
  }

  private kindOfImport(node: Node, declaration: unknown): Kind | undefined {
    if (node.type === 'TSImportEqualsDeclaration')
      return this.moduleOf(node.moduleReference.expression);
    const kind = this.moduleOf((declaration as Node | null)?.source);
    if (!kind || node.type === 'ImportNamespaceSpecifier') return kind;
    if (node.type !== 'ImportSpecifier') return undefined;
    return exportOf(node.imported.name ?? node.imported.value);
  }

  private moduleOf(name: Node | undefined): Kind | undefined {
    return name && this.modules.has(name.value) ? { is: 'module' } : undefined;
  }

  private kindOfMember(member: Node): Kind | undefined {
    const owner = this.kindOf(member.object);
    const { name } = member.property;
    return owner?.is === 'module' ? exportOf(name) : undefined;
  }

  private kindOfNew(node: Node): Kind | undefined {
    const made = this.kindOf(node.callee);
    if (made?.is !== 'export') return undefined;
    if (made.name === 'AsyncSteps') return { is: 'flow', maker: node };
    return starters.test(made.name) ? { is: 'starter' } : undefined;
  }

  private kindOfCall(call: Node): Kind | undefined {
    const callee = bare(call.callee);
    if (callee.type === 'Identifier' && callee.name === 'require')
      return this.variables.get(callee)?.defs.length ? undefined : this.moduleOf(call.arguments[0]);
    const made = this.kindOf(callee);
    if (made?.is === 'export') {
      if (made.name === 'run') return { is: 'promise' };
      return isFactory(made.name) ? { is: 'step' } : undefined;
    }
    const method = methodOf(call);
    const owner = method && this.kindOf(method.object);
    return owner && kindOfMethod(method, owner);
  }

  /** What was found of `key` before, else what `look` finds. */
  private looked<K, T>(known: Map<K, T>, key: K, look: () => T): T | undefined {
    if (known.has(key)) return known.get(key);
    const { circles } = this;
    const found = this.once(key, look) as T;
    if (circles === this.circles || this.busy.size === 0) known.set(key, found);
    return found;
  }

  /** Undefined while it's being looked for. */
  private once<T>(key: unknown, look: () => T): T | undefined {
    if (this.busy.has(key)) {
      this.circles++;
      return undefined;
    }
    this.busy.add(key);
    try {
      return look();
    } finally {
      this.busy.delete(key);
    }
  }
}

function kindOfMethod({ name, call }: { name: string; call: Node }, owner: Kind): Kind | undefined {
  switch (owner.is) {
    case 'accessor':
    case 'flow':
      if (name === 'newInstance') return { is: 'flow', maker: call };
      if (name === 'promise' && owner.is === 'flow') return { is: 'promise' };
      if (name === 'parallel') return { is: 'parallel', of: owner };
      return isAdder(name) ? owner : undefined;
    case 'adder':
    case 'parallel':
      return isAdder(name) ? owner : undefined;
    case 'step':
      return isMethodOfSteps(name) ? owner : undefined;
    default:
      return undefined;
  }
}

/** What the package exports by that name. */
function exportOf(name: string): Kind {
  return name === 'defaultTool' ? { is: 'starter' } : { is: 'export', name };
}

function nameOf(kind: Kind | undefined): string {
  return kind?.is === 'export' ? kind.name : '';
}

function placementIn(owner: Kind): Placement {
  if (owner.is === 'parallel') return placementIn(owner.of);
  if (owner.is === 'accessor') return 'inside';
  return owner.is === 'flow' || owner.is === 'starter' ? 'apart' : undefined;
}

/** Whether it has one value, as long as it lives. */
export function isConstant(variable: Variable): boolean {
  return variable.references.every((reference) => reference.init || !reference.isWrite());
}

/** Where its value is used. */
export function usesOf(variable: Variable): Node[] {
  return variable.references
    .filter((reference) => reference.isRead())
    .map(({ identifier }) => identifier as unknown as Node);
}

/** Whether a use of an accessor only looks at it: `asi.state`, `asi.signal`, `asi.valid()`. */
export function isRead(use: Node): boolean {
  const { parent } = whole(use);
  return (
    parent.type === 'MemberExpression' && !parent.computed && isAlwaysValid(parent.property.name)
  );
}
