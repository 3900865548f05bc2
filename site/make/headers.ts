/** Declarations of C++ headers, found by the layout that clang-format gives them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of no interest to who reads them. */
const marks = /\bSTEPTREE_[A-Z_]+ |\[\[(?!deprecated)[^\]]*\]\] /g;

export class Headers {
  readonly #root: string;
  readonly #files = new Map<string, readonly string[]>();

  constructor(root: string) {
    this.#root = root;
  }

  /** From its first line to the end of its head. A brace that is closed at once is a default, at the end a body. */
  codeAt(file: string, first: number): string {
    const lines = this.#linesOf(file);
    const indent = /^ */.exec(lines[first]!)![0].length;
    const head: string[] = [];
    for (const whole of lines.slice(first)) {
      const line = whole.slice(indent).replace(/ *\/\/.*$/, '');
      const body = /\{(?!\})(?=[^}]*$)|\{ .*; \}$|\{\}$/.exec(line);
      head.push(body === null ? line : line.slice(0, body.index).trimEnd());
      if (body !== null || /;$/.test(line)) break;
    }
    return head
      .join('\n')
      .replaceAll(marks, '')
      .replace(/\)((?: (?:const|noexcept))*)\s+: [\s\S]*$/, ')$1')
      .replace(/;$/, '')
      .trim();
  }

  #linesOf(file: string): readonly string[] {
    const known = this.#files.get(file) ?? readFileSync(join(this.#root, file), 'utf8').split('\n');
    this.#files.set(file, known);
    return known;
  }
}
