// What expressions are: a kind for each that is steptree's.

import { isAccessor, typedAs } from './accessors.js';
import { isAdder, isFactory, isMethodOfSteps } from './api.js';
import { type Kind, type Knowledge, starters } from './kinds.js';
import { bare, type Method, methodOf, type Node } from './syntax.js';
import { isConstant, type Variable } from './variables.js';

/** Of all but names. */
export function kindOfValue(model: Knowledge, value: Node): Kind | undefined {
  switch (value.type) {
    case 'MemberExpression': {
      if (value.computed) return undefined;
      const isOfModule = model.kindOf(value.object)?.is === 'module';
      return isOfModule ? exportOf(value.property.name) : undefined;
    }
    case 'NewExpression':
      return kindOfNew(model, value);
    case 'CallExpression':
      return kindOfCall(model, value);
    case 'AwaitExpression': {
      const loaded = bare(value.argument);
      return loaded.type === 'ImportExpression' ? moduleOf(model, loaded.source) : undefined;
    }
    default:
      return undefined;
  }
}

export function kindOfVariable(model: Knowledge, variable: Variable): Kind | undefined {
  const [definition, ...more] = variable.defs;
  if (!definition || more.length > 0) return undefined;
  const node = definition.node as unknown as Node;
  if (definition.type === 'ImportBinding') return kindOfImport(model, node, definition.parent);
  if (isAccessor(model, variable)) return { is: 'accessor', variable };
  if (definition.type === 'Parameter' && isConstant(variable))
    return typedAs(model, definition.name as unknown as Node);
  if (definition.type !== 'Variable' || !node.init || !isConstant(variable)) return undefined;
  if (node.id.type === 'Identifier') return model.kindOf(node.init);
  if (node.id.type !== 'ObjectPattern' || model.kindOf(node.init)?.is !== 'module')
    return undefined;
  const property = node.id.properties.find(
    ({ value }: Node) => (value?.left ?? value) === definition.name,
  );
  return property?.key.name && exportOf(property.key.name);
}

function kindOfImport(model: Knowledge, node: Node, declaration: unknown): Kind | undefined {
  if (node.type === 'TSImportEqualsDeclaration')
    return moduleOf(model, node.moduleReference.expression);
  const kind = moduleOf(model, (declaration as Node | null)?.source);
  if (!kind || node.type === 'ImportNamespaceSpecifier') return kind;
  if (node.type !== 'ImportSpecifier') return undefined;
  return exportOf(node.imported.name ?? node.imported.value);
}

function kindOfNew(model: Knowledge, node: Node): Kind | undefined {
  const made = model.kindOf(node.callee);
  if (made?.is !== 'export') return undefined;
  if (made.name === 'AsyncSteps') return { is: 'flow', maker: node };
  return starters.test(made.name) ? { is: 'starter' } : undefined;
}

function kindOfCall(model: Knowledge, call: Node): Kind | undefined {
  const callee = bare(call.callee);
  if (callee.type === 'Identifier' && callee.name === 'require')
    return model.variableOf(callee)?.defs.length ? undefined : moduleOf(model, call.arguments[0]);
  const made = model.kindOf(callee);
  if (made?.is === 'export') {
    if (made.name === 'run') return { is: 'promise' };
    return isFactory(made.name) ? { is: 'step' } : undefined;
  }
  const method = methodOf(call);
  const owner = method && model.kindOf(method.object);
  return owner && kindOfMethod(method, owner);
}

function kindOfMethod({ name, call }: Method, owner: Kind): Kind | undefined {
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

function moduleOf(model: Knowledge, name: Node | undefined): Kind | undefined {
  return name && model.isModule(name.value) ? { is: 'module' } : undefined;
}

/** What the package exports by that name. */
function exportOf(name: string): Kind {
  return name === 'defaultTool' ? { is: 'starter' } : { is: 'export', name };
}
