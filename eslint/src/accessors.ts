// Which parameters are accessors.

import { type Kind, type Knowledge, starters } from './kinds.js';
import { isFunction, type Node } from './syntax.js';
import { isConstant, type Variable } from './variables.js';

/** The first parameter of functions that are given as that, and their parameter's type. */
export function isAccessor(model: Knowledge, variable: Variable): boolean {
  const [definition, ...more] = variable.defs;
  if (definition?.type !== 'Parameter' || more.length > 0 || !isConstant(variable)) return false;
  const fn = definition.node as unknown as Node;
  const name = definition.name as unknown as Node;
  if (!isFunction(fn) || !fn.params.includes(name)) return false;
  const typed = typedAs(model, name);
  if (typed) return typed.is === 'accessor';
  const first = fn.params.find((parameter: Node) => parameter.name !== 'this');
  const given = first === name ? model.givenTo(fn) : [];
  return given.length > 0 && given.every(({ role }) => role !== 'sink');
}

/** What a parameter's type says, by its name. */
export function typedAs(model: Knowledge, parameter: Node): Kind | undefined {
  const type = parameter.typeAnnotation?.typeAnnotation;
  if (type?.type !== 'TSTypeReference') return undefined;
  const { typeName } = type;
  const name =
    typeName.type === 'TSQualifiedName'
      ? model.kindOf(typeName.left)?.is === 'module' && typeName.right.name
      : nameOf(model.kindOf(typeName));
  if (/^(?:AsyncSteps|IFlow)$/.test(name)) return { is: 'flow', maker: parameter };
  if (/^(?:IAdder|IParallel|ISteps)$/.test(name)) return { is: 'adder' };
  if (starters.test(name)) return { is: 'starter' };
  const variable = model.variableOf(parameter);
  return name === 'IAsyncSteps' && variable ? { is: 'accessor', variable } : undefined;
}

function nameOf(kind: Kind | undefined): string {
  return kind?.is === 'export' ? kind.name : '';
}
