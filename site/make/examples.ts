/** Programs for the playground: its own ones, and what the snippets of a page of the guide are together, where a browser can run it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as steptree from 'steptree';
import { snippetsOf, tsProgram } from '../../tools/guide/page.js';
import { page, pages } from './pages.js';
import { root, stemOf, textOf } from './root.js';

export interface Example {
  /** In addresses. */
  readonly name: string;
  readonly title: string;
  readonly code: string;
}

const ofNode = /'node:|\bprocess\.|'steptree\/|'mocha'/;

/** Where the snippets of a page print is of no interest here. */
function programOf(file: string): string | undefined {
  const snippets = snippetsOf(join(root, file)).filter(({ lang }) => lang === 'ts');
  if (snippets.length === 0 || snippets.some(({ code }) => ofNode.test(code))) return undefined;
  return tsProgram(snippets, Object.keys(steptree)).replaceAll(
    /^console\.log\('=== line \d+'\);$/gm,
    '',
  );
}

function own(): Example[] {
  return readdirSync(join(root, 'site/examples'))
    .sort()
    .map((file) => {
      const [first, ...rest] = textOf(`site/examples/${file}`).split('\n');
      const title = first!.replace(/^\/\/ /, '');
      return { name: stemOf(file), title, code: rest.join('\n').trimStart() };
    });
}

function ofGuide(): Example[] {
  return [...pages.keys()]
    .filter((file) => file.startsWith('docs/'))
    .flatMap((file) => {
      const code = programOf(file);
      return code === undefined ? [] : [{ name: stemOf(file), title: page(file).title, code }];
    });
}

export const ownExamples = own();
export const guideExamples = ofGuide();

/** Behind the title of a page of the guide. */
export function exampleLink(file: string): string {
  const name = stemOf(file);
  if (!file.startsWith('docs/') || !guideExamples.some((each) => each.name === name)) return '';
  return `<p class="run"><a href="${'../'.repeat(file.split('/').length - 1)}playground/index.html?example=${name}">Run the snippets of this page in the playground</a></p>`;
}
