// Variables, and where their values are used.

import type { Scope } from 'eslint';
import { isAlwaysValid } from './api.js';
import { type Node, whole } from './syntax.js';

export type Variable = Scope.Variable;

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

/** All of a file, by the names that stand for them. */
export function variablesOf({ scopes }: Scope.ScopeManager): Map<unknown, Variable> {
  const variables = new Map<unknown, Variable>();
  for (const scope of scopes) {
    for (const variable of scope.variables)
      for (const name of variable.identifiers) variables.set(name, variable);
    for (const { identifier, resolved } of scope.references)
      if (resolved) variables.set(identifier, resolved);
  }
  return variables;
}
