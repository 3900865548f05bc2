/** What a program in C sees of a header, found by its layout alone: it is all of one hand. */

export interface Member {
  readonly struct: string;
  readonly name: string;
  readonly declaration: string;
}

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, ' ');
const withoutMacros = (text: string) => withoutComments(text).replace(/^#(?:.*\\\n)*.*$/gm, ' ');
const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** The members of all structs, in their order. */
export function membersOf(text: string): Member[] {
  return [...withoutMacros(text).matchAll(/\bstruct (\w+) \{([\s\S]*?)\n\}/g)].flatMap(
    ([, struct, body]) =>
      statementsOf(body!).flatMap((declaration) =>
        namesOf(declaration).map((name) => ({ struct: struct!, name, declaration })),
      ),
  );
}

/** What ends with a semicolon that is in no braces. */
function statementsOf(body: string): string[] {
  const statements: string[] = [];
  let depth = 0;
  let statement = '';
  for (const character of body) {
    if (character === '{') depth++;
    if (character === '}') depth--;
    if (character !== ';' || depth > 0) {
      statement += character;
      continue;
    }
    statements.push(inOneLine(statement));
    statement = '';
  }
  return statements;
}

/** Of a function, a union, or of members that share a type. */
function namesOf(declaration: string): string[] {
  const called = /\(\*(\w+)\)/.exec(declaration);
  if (called !== null) return [called[1]!];
  const last = declaration.slice(declaration.lastIndexOf('}') + 1);
  return last.split(',').map((part) => /(\w+)$/.exec(part.trim())![1]!);
}

/** The names of all numbers that enums give. */
export function numbersOf(text: string): string[] {
  return [...withoutMacros(text).matchAll(/\benum \{([^}]*)\}/g)].flatMap(([, body]) =>
    [...body!.matchAll(/(\w+)\s*(?:=[^,]*)?(?:,|$)/g)].map(([, name]) => name!),
  );
}

/** Types of functions by their names. */
export function callbacksOf(text: string): [name: string, type: string][] {
  return [...withoutMacros(text).matchAll(/\btypedef ([^;{}]*?)\(\*(\w+)\)([^;{}]*);/g)].map(
    ([, result, name, parameters]) => [name!, inOneLine(`${result}(*)${parameters}`)],
  );
}

/** Functions that have an address: what is exported. */
export function functionsOf(text: string): string[] {
  return [...withoutMacros(text).matchAll(/^(const \w+\*\s+\w+\([^;{}()]*\));/gm)].map(
    ([, declaration]) => inOneLine(declaration!),
  );
}

/** Macros with what they stand for; a version only with its name, as it's a number that rises. */
export function macrosOf(text: string): string[] {
  return [...withoutComments(text).matchAll(/^#define ((?:.*\\\n)*.*)$/gm)]
    .map(([, macro]) => inOneLine(macro!.replaceAll('\\\n', ' ')))
    .map((macro) => macro.replace(/^(\w+_ABI) .*/, '$1'))
    .filter((macro) => !/^\w+_H$/.test(macro));
}
