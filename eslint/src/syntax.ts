// Nodes of a syntax tree, whichever parser has made it: only what rules ask.

/** A node of ESTree, or of TypeScript's extension of it, with what it stands in. */
export interface Node {
  readonly type: string;
  readonly parent: Node;
  readonly range: readonly [number, number];
  readonly [field: string]: any;
}

const wrappers = new Set([
  'ChainExpression',
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
]);

/** Without what says only of which type it is. */
export function bare(node: Node): Node {
  let inner = node;
  while (wrappers.has(inner.type)) inner = inner.expression;
  return inner;
}

/** With the wrappers around it. */
export function whole(node: Node): Node {
  let outer = node;
  while (outer.parent && wrappers.has(outer.parent.type)) outer = outer.parent;
  return outer;
}

export function isFunction(node: Node): boolean {
  return /^(?:ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(node.type);
}

/** The function around a node. */
export function functionAround(node: Node): Node | undefined {
  for (let outer = node.parent; outer; outer = outer.parent) if (isFunction(outer)) return outer;
  return undefined;
}

export function isInside(node: Node, outer: Node): boolean {
  return outer.range[0] <= node.range[0] && node.range[1] <= outer.range[1];
}

/** `object.name(…)`. */
export interface Method {
  readonly call: Node;
  readonly object: Node;
  readonly name: string;
}

/** A call of a method whose name is written there. */
export function methodOf(node: Node): Method | undefined {
  const call = bare(node);
  if (call.type !== 'CallExpression') return undefined;
  const callee = bare(call.callee);
  if (callee.type !== 'MemberExpression' || callee.computed) return undefined;
  return { call, object: bare(callee.object), name: callee.property.name };
}

/** The method that is called of what stands there. */
export function calledOf(node: Node): Method | undefined {
  const object = whole(node);
  const member = object.parent;
  if (member.type !== 'MemberExpression' || member.object !== object) return undefined;
  const callee = whole(member);
  const call = callee.parent;
  return call.type === 'CallExpression' && call.callee === callee ? methodOf(call) : undefined;
}

/** Whose value it may be: what stands in a branch of `a ? b : c`, or at an end of `a && b`. */
export function valueAround(node: Node): Node {
  let outer = whole(node);
  for (;;) {
    const { parent } = outer;
    const isBranch = parent.type === 'ConditionalExpression' && parent.test !== outer;
    const isEnd = parent.type === 'LogicalExpression' && parent.right === outer;
    if (!isBranch && !isEnd) return outer;
    outer = whole(parent);
  }
}

/** The values that an expression may have. */
export function valuesIn(node: Node): Node[] {
  const value = bare(node);
  if (value.type === 'ConditionalExpression')
    return [...valuesIn(value.consequent), ...valuesIn(value.alternate)];
  if (value.type === 'LogicalExpression' && value.operator === '&&') return valuesIn(value.right);
  return [value];
}

/** What a function may return; null where it says nothing. */
export function returnsOf(fn: Node): (Node | null)[] {
  if (fn.body.type !== 'BlockStatement') return [bare(fn.body)];
  const found: (Node | null)[] = [];
  walk(fn.body, (node) => {
    if (node.type === 'ReturnStatement') found.push(node.argument && bare(node.argument));
    return !isFunction(node);
  });
  return found;
}

/** Visits a node and all inside; not what is inside of one for which `visit` says false. */
export function walk(node: Node, visit: (node: Node) => boolean): void {
  if (!visit(node)) return;
  for (const [field, value] of Object.entries(node)) {
    if (field === 'parent') continue;
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string' && child.range) walk(child, visit);
  }
}

/** Whether it is a value of which is known what it is, and that it says something. */
export function isPlainValue(node: Node): boolean {
  switch (node.type) {
    case 'Literal':
      return node.value !== false;
    case 'TemplateLiteral':
    case 'ArrayExpression':
      return true;
    case 'ObjectExpression':
      return node.properties.every(
        (property: Node) => property.type === 'Property' && property.key.name !== 'then',
      );
    case 'BinaryExpression':
      return ['+', '-', '*', '/', '%', '**'].includes(node.operator);
    default:
      return false;
  }
}

/** Whether it is known to be no value: `undefined`, `false`, `void …`. */
export function isNothing(node: Node): boolean {
  return (
    (node.type === 'Identifier' && node.name === 'undefined') ||
    (node.type === 'Literal' && node.value === false) ||
    (node.type === 'UnaryExpression' && node.operator === 'void')
  );
}
