// A worker: TypeScript's language service for the one program of the playground.

import ts from 'typescript';
import { loaded } from '../load.js';
import { answer } from './calls.js';
import { hostOf } from './host.js';

export interface Problem {
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly message: string;
}

export interface Completion {
  readonly label: string;
  readonly kind: string;
}

export interface Hover {
  readonly from: number;
  readonly to: number;
  readonly code: string;
  readonly words: string;
}

const file = '/program.ts';
const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.webworker.d.ts'],
  types: [],
  strict: true,
  skipLibCheck: true,
};

let service: ts.LanguageService;
let host: ReturnType<typeof hostOf>;

const words = (parts: ts.SymbolDisplayPart[] | undefined) => ts.displayPartsToString(parts);

const language = {
  async load(types: string): Promise<void> {
    const files = await loaded<Record<string, string>>(types);
    host = hostOf(files, file, options);
    service = ts.createLanguageService(host);
    service.getSemanticDiagnostics(file); // reads all types, once
  },

  problems(code: string): Problem[] {
    host.write(code);
    const source = service.getProgram()!.getSourceFile(file)!;
    return [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)].map(
      ({ start = 0, length = 0, messageText }) => {
        const message = ts.flattenDiagnosticMessageText(messageText, '\n');
        const line = source.getLineAndCharacterOfPosition(start).line + 1;
        return { from: start, to: start + length, line, message };
      },
    );
  },

  completions(code: string, at: number): Completion[] {
    host.write(code);
    const found = service.getCompletionsAtPosition(file, at, {
      includeCompletionsForModuleExports: false,
    });
    return (found?.entries ?? []).map(({ name, kind }) => ({ label: name, kind }));
  },

  hover(code: string, at: number): Hover | undefined {
    host.write(code);
    const info = service.getQuickInfoAtPosition(file, at);
    if (info === undefined) return undefined;
    const { start, length } = info.textSpan;
    const said = words(info.documentation);
    return { from: start, to: start + length, code: words(info.displayParts), words: said };
  },

  /** As JavaScript, which takes the package from that address. */
  emit(code: string, steptree: string): string {
    const { outputText } = ts.transpileModule(code, { compilerOptions: options });
    const imports = ts.preProcessFile(outputText, true, true).importedFiles;
    let text = outputText;
    for (const { fileName, pos } of [...imports].reverse()) {
      if (fileName !== 'steptree') throw new Error(`There is no module '${fileName}' here.`);
      // `pos` is that of the quote in front of the name
      const name = text.indexOf(fileName, pos);
      text = text.slice(0, name) + steptree + text.slice(name + fileName.length);
    }
    return text;
  },
};

export type Language = typeof language;
answer(language);
