/**
 * A page of the guide, and the programs that its snippets are: all TypeScript of a page is one program, all C++ another one, so that what is
 * declared in one snippet is there in the next. A `text` block holds what the snippets before it in its section print, `…` stands for anything. A block that
 * names a file shows lines of that, and is part of no program.
 */
import { readFileSync } from 'node:fs';

export interface Snippet {
  readonly lang: 'ts' | 'cpp';
  /** C++: declarations, in front of `main`. */
  readonly top: boolean;
  readonly line: number;
  readonly code: string;
  /** What it prints. */
  expected: string;
}

const fence = /^```(\w*)(.*)\n([\s\S]*?)^```$/gm;

export function snippetsOf(file: string): Snippet[] {
  const text = readFileSync(file, 'utf8');
  const snippets: Snippet[] = [];
  const last = new Map<string, { snippet: Snippet; end: number }>();
  for (const { 0: all, 1: lang, 2: more, 3: code, index } of text.matchAll(fence)) {
    if (lang === 'text') {
      for (const { snippet, end } of last.values())
        if (!/^#+ /m.test(text.slice(end, index))) snippet.expected = code!;
      last.clear();
    } else if ((lang === 'ts' || lang === 'cpp') && !more!.includes('/')) {
      const line = text.slice(0, index).split('\n').length + 1;
      const snippet: Snippet = { lang, top: more === ' top', line, code: code!, expected: '' };
      snippets.push(snippet);
      last.set(lang, { snippet, end: index + all.length });
    }
  }
  return snippets;
}

/** Lines of a file that a page shows. */
export interface Quote {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

export function quotesOf(file: string): Quote[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(fence)]
    .filter(({ 2: more }) => more!.includes('/'))
    .map(({ 2: more, 3: code, index }) => ({
      file: more!.trim(),
      line: text.slice(0, index).split('\n').length + 1,
      code: code!,
    }));
}

const mark = '=== line ';

/** `names`: what the package exports. A page needs to import only types. */
export function tsProgram(snippets: readonly Snippet[], names: readonly string[]): string {
  const code = snippets.map((snippet) => snippet.code).join('\n');
  const own = [...code.matchAll(/^import [^;]*? from 'steptree';$/gm)].join(' ');
  const has = (text: string, name: string) => new RegExp(`\\b${name}\\b`).test(text);
  const used = names.filter((name) => has(code, name) && !has(own, name));
  const parts = snippets.map(({ line, code }) => `console.log('${mark}${line}');\n${code}`);
  return [`import { ${used.join(', ')} } from 'steptree';`, ...parts].join('\n');
}

/** In `main` there is a tool. What docs/README.md includes has been included; what the page itself does, comes first. */
export function cppProgram(snippets: readonly Snippet[], file: string): string {
  const place = ({ line }: Snippet) => `#line ${line} "${file}"\n`;
  const top = snippets.filter((snippet) => snippet.top);
  const rest = snippets.filter((snippet) => !snippet.top);
  const includes = /^#include .*\n/gm;
  return [
    ...snippets.flatMap(({ code }) => code.match(includes) ?? []),
    'using namespace steptree;\nusing namespace std::chrono_literals;\n',
    ...top.map((snippet) => place(snippet) + snippet.code.replaceAll(includes, '')),
    'int main() {\nAsyncTool tool;\n',
    ...rest.map(
      (snippet) =>
        `std::cout << "${mark}${snippet.line}" << std::endl;\n${place(snippet)}${snippet.code.replaceAll(includes, '')}`,
    ),
    '}\n',
  ].join('');
}

/** What each snippet has printed, by its line. */
export function outputs(printed: string): Map<number, string> {
  const parts = printed.split(new RegExp(`^${mark}(\\d+)\\n`, 'm'));
  const found = new Map<number, string>();
  for (let i = 1; i < parts.length; i += 2) found.set(Number(parts[i]), parts[i + 1]!);
  return found;
}

/** Whether that was printed which the page says. */
export function agrees(expected: string, printed: string): boolean {
  const quoted = expected.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${quoted.join('[^\\n]*')}$`).test(printed);
}
