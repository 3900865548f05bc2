// What can be known of an expression, and of whom it is asked: what finds it looks at a part of a program each, and asks for the other parts.

import type { Role } from './api.js';
import type { Node } from './syntax.js';
import type { Variable } from './variables.js';

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

/** Classes whose objects start flows of their own. */
export const starters = /^(?:Scope|AsyncTool|VirtualTool)$/;

/** What is known of a file; undefined is what can't be told. */
export interface Knowledge {
  /** Whether a program imports steptree by that name. */
  isModule(name: unknown): boolean;
  /** The variable that a name stands for; of one that the file doesn't declare none. */
  variableOf(node: Node): Variable | undefined;
  kindOf(node: Node): Kind | undefined;
  /** What a function is to all calls that it's given to. */
  givenTo(fn: Node): readonly Given[];
  /** Undefined while it's being looked for. */
  once<T>(key: unknown, look: () => T): T | undefined;
}
