// What TypeScript sees of the world: the types, and one program that changes.

import ts from 'typescript';

export function hostOf(
  files: Readonly<Record<string, string>>,
  program: string,
  options: ts.CompilerOptions,
): ts.LanguageServiceHost & { write(code: string): void } {
  let code = '';
  let version = 0;
  const textOf = (name: string) => (name === program ? code : files[name]);
  const folders = new Set(Object.keys(files).map((name) => name.slice(0, name.lastIndexOf('/'))));
  return {
    write(text) {
      if (text === code) return;
      code = text;
      version++;
    },
    getCompilationSettings: () => options,
    getScriptFileNames: () => [program],
    getScriptVersion: (name) => (name === program ? String(version) : '0'),
    getScriptSnapshot(name) {
      const text = textOf(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => '/',
    getDefaultLibFileName: () => '/lib/lib.es2023.d.ts',
    fileExists: (name) => textOf(name) !== undefined,
    readFile: textOf,
    directoryExists: (name) => folders.has(name) || name === '/node_modules',
    useCaseSensitiveFileNames: () => true,
  };
}
