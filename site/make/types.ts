/** Declarations of the package's types, as the compiler has written them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

type Named = ts.Node & { readonly name?: ts.Node };

export class Types {
  readonly #folder: string;
  readonly #files = new Map<string, ts.SourceFile>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What begins in that line, with all of its overloads. Of a class or an interface: its head. */
  codeAt(file: string, line: number): string {
    const source = this.#sourceOf(file);
    const found = nodesIn(source).filter((node) => lineOf(source, node) === line)[0];
    if (found === undefined) throw new Error(`${file}:${line + 1}: nothing begins there`);
    const stood = this.#standsFor(source, found);
    if (stood !== undefined) return headOf(source, stood);
    const overloads = nodesIn(source).filter(
      (node) => node.parent === found.parent && node.kind === found.kind && sameName(found, node),
    );
    return (overloads.length > 0 ? overloads : [found])
      .map((node) => headOf(source, node))
      .join('\n');
  }

  /** The class that a constant is: it is exported by the name of that. */
  #standsFor(source: ts.SourceFile, node: ts.Node): ts.Node | undefined {
    const [, name] =
      /^(?:export )?declare const \w+: typeof (\w+);$/.exec(node.getText(source)) ?? [];
    return source.statements.find(
      (each) => ts.isClassDeclaration(each) && each.name?.text === name && name !== undefined,
    );
  }

  #sourceOf(file: string): ts.SourceFile {
    const path = join(this.#folder, file);
    const read = () =>
      ts.createSourceFile(file, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true);
    const known = this.#files.get(file) ?? read();
    this.#files.set(file, known);
    return known;
  }
}

const lineOf = (source: ts.SourceFile, node: ts.Node) =>
  source.getLineAndCharacterOfPosition(node.getStart(source)).line;

/** Of the file, and of its classes and interfaces. */
function nodesIn(source: ts.SourceFile): Named[] {
  return source.statements.flatMap((node): Named[] => {
    if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node))
      return [node, ...node.members];
    if (!ts.isVariableStatement(node)) return [node];
    const type = node.declarationList.declarations[0]?.type;
    return type !== undefined && ts.isTypeLiteralNode(type) ? [node, ...type.members] : [node];
  });
}

function sameName(a: Named, b: Named): boolean {
  return a.name !== undefined && b.name?.getText() === a.name.getText();
}

function headOf(source: ts.SourceFile, node: ts.Node): string {
  const text = node.getText(source);
  const isLong =
    ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isVariableStatement(node);
  const head = isLong && text.includes(' {\n') ? text.slice(0, text.indexOf(' {\n')) : text;
  return head
    .replaceAll(/\/\*\*[\s\S]*?\*\/\s*/g, '')
    .replaceAll(/^ {4}/gm, '')
    .replace(/^(?:export )?declare (?:abstract )?/, '')
    .replace(/^export /, '')
    .replace(/;$/, '');
}
