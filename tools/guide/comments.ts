/** The comments of the public interface, checked: what they say, where they lead, and that their examples compile. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ownEntries, sourcePaths } from '../package/entries.js';
import { cppHovers } from './headers.js';
import { examplesOf, exportedBy, faults, type Hover, tsHovers } from './hovers.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const build = join(root, 'build/guide/comments');
const types = join(build, 'types');
const run = promisify(execFile);

export const cppComments = (): Hover[] => cppHovers(root);

/** Of the package's declarations: what isn't for users isn't there. */
export async function tsComments(): Promise<Hover[]> {
  rmSync(types, { recursive: true, force: true });
  const config = join(root, 'js/tsconfig.build.json');
  await run('tsc', ['-p', config, '--emitDeclarationOnly', '--outDir', types]);
  return tsHovers(types, ownEntries);
}

/** As GitHub makes them. */
function anchorsOf(page: string): string[] | undefined {
  const path = join(root, 'docs', page);
  if (!existsSync(path)) return undefined;
  const headings = readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm);
  const kept = [...headings].map(([, text]) => text!.toLowerCase().replaceAll(/[^\w\- ]/g, ''));
  return kept.map((text) => text.replaceAll(' ', '-'));
}

export function commentFaults(hovers: readonly Hover[]): string {
  return hovers.flatMap((hover) => faults(hover, anchorsOf)).join('\n');
}

/** A function for each; of an option, what the options are. What a program declares holds for all of it, so it can't be one of these. */
function tsExample(hover: Hover, code: string, i: number): string {
  if (code.startsWith('declare ')) return '';
  const [options] = hover.name.split('.');
  const lines = /^\w+: /.test(code) ? `return { ${code} } satisfies Partial<${options}>;` : code;
  if (code.startsWith('export ')) return `// ${hover.name}\n${lines}\n`;
  return `export async function example${i}() {\n// ${hover.name}\n${lines}\n}\n`;
}

/** What the compiler says to all examples, as one program. */
export async function checkExamples(): Promise<string> {
  const hovers = await tsComments();
  const examples = hovers.flatMap((hover) => examplesOf(hover).map((code) => ({ hover, code })));
  const text = examples.map(({ hover, code }, i) => tsExample(hover, code, i)).join('');
  const imports = ownEntries.map((module) => {
    const used = exportedBy(types, module).filter((name) => new RegExp(`\\b${name}\\b`).test(text));
    return `import { ${used.join(', ')} } from '${module === 'index' ? 'steptree' : `steptree/${module}`}';\n`;
  });
  mkdirSync(build, { recursive: true });
  writeFileSync(join(build, 'examples.ts'), imports.join('') + text);
  const compilerOptions = {
    lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
    types: ['node'],
    noUnusedLocals: false,
    verbatimModuleSyntax: false,
    noUnusedParameters: false,
    noImplicitReturns: false,
    paths: sourcePaths,
  };
  const include = ['examples.ts', join(root, 'tools/guide/names.d.ts')];
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include, exclude: [] };
  writeFileSync(join(build, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = await run('tsc', ['-p', build]).catch((failed) => failed);
  return stdout;
}

/** All examples of the headers, each in a function of its own. */
export function cppExamples(): string {
  const parts = [`#include "${root}tools/guide/names.hpp"\n`];
  for (const hover of cppComments())
    for (const code of examplesOf(hover)) parts.push(cppExample(hover, code, parts.length));
  return parts.join('');
}

/** Of an option, what the options are. What isn't a statement ends as one. */
function cppExample({ file, line, name }: Hover, code: string, i: number): string {
  const place = `#line ${line} "${file}"\n`;
  if (code.startsWith('template <>')) return `${place}${code}\n`;
  const whole = code.startsWith('.') ? `${name.replace(/On$/, 'Options')} options{${code}};` : code;
  const end = /[;}]\s*(?:\/\/.*)?$/.test(whole) ? '' : ';';
  const head = !/^\w.* co_await/m.test(code)
    ? `auto example${i}()`
    : /use_awaitable/.test(code)
      ? `asio::awaitable<void> example${i}()`
      : `Task<> example${i}(IAsyncSteps& asi)`;
  return `namespace examples {\ninline ${head} {\n${place}${whole}${end}\n}\n}\n`;
}
