/** The playground: its page, its examples, the types of the package and those of the language. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { type Example, guideExamples, ownExamples } from './examples.js';
import { type Framed, themeHash } from './frame.js';
import { escaped } from './highlight.js';
import { root } from './root.js';

const options = (examples: readonly Example[]) =>
  examples.map(({ name, title }) => `<option value="${name}">${escaped(title)}</option>`).join('');

/** A program may come from a link of somebody else: it gets nothing from elsewhere, and sends nothing there. */
const policy = [
  "default-src 'self'",
  `script-src 'self' blob: ${themeHash}`,
  "worker-src 'self' blob:",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export function playgroundPage(): Framed {
  const html = `<h1>Playground</h1>
<p>TypeScript with the types of steptree, run in this page in a thread of its own. This page sends your program nowhere, and a program reaches no other site than this one. Beside it the tree of each moment: what is open, and what it waits for.</p>
<noscript><p>It needs JavaScript, which this browser doesn't run. The <a href="../docs/index.html">guide</a> can be read without.</p></noscript>
<div id="playground">
<div class="steps"><label>Example <select id="example"><optgroup label="Short">${options(ownExamples)}</optgroup><optgroup label="The guide">${options(guideExamples)}</optgroup></select></label>
<button type="button" id="run" disabled>Run</button> <button type="button" id="stop" disabled>Stop</button> <button type="button" id="share">Copy a link to this program</button> <span id="state" role="status">Loading the editor</span></div>
<div class="halves"><div><div id="editor"></div><p class="hint">Ctrl+Enter runs it, Ctrl+Space completes; Tab leaves the editor.</p></div>
<div><p class="head">Tree</p><div class="steps"><button type="button" id="live" aria-pressed="true">Follow</button><input type="range" id="moment" min="0" max="0" value="0" aria-label="Moment" disabled><span id="place"></span></div><p id="what" class="what"></p><div id="flows" class="flows"></div>
<p class="head">Output</p><ol id="output" class="trace"></ol></div></div></div>`;
  return {
    url: 'playground/index.html',
    title: 'Playground',
    html,
    kind: 'wide',
    script: 'playground.js',
    policy,
  };
}

export const examples: readonly Example[] = [...ownExamples, ...guideExamples];

/** What the compiler says of the package. Returns the folder that it's in. */
export function writeTypes(): string {
  const folder = join(root, 'build/site-types');
  rmSync(folder, { recursive: true, force: true });
  const flags = ['-p', 'js/tsconfig.build.json', '--emitDeclarationOnly', '--outDir', folder];
  execFileSync(join(root, 'node_modules/.bin/tsc'), flags, { cwd: root, stdio: 'inherit' });
  return folder;
}

/** The files that a file's types are of, itself first: those of other entries need packages that a browser doesn't have. */
function reached(folder: string, file: string): Set<string> {
  const files = new Set([file]);
  // A set that grows is gone through to its end.
  for (const each of files) {
    const { importedFiles } = ts.preProcessFile(
      readFileSync(join(folder, each), 'utf8'),
      true,
      true,
    );
    for (const { fileName } of importedFiles)
      if (fileName.startsWith('./')) files.add(fileName.slice(2).replace(/\.js$/, '.d.ts'));
  }
  return files;
}

/** By the names that the compiler finds them at: those of the package, and of what a thread in a browser has. */
export function typesOfAll(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of reached(folder, 'index.d.ts'))
    found[`/node_modules/steptree/${name}`] = readFileSync(join(folder, name), 'utf8');
  const lib = dirname(createRequire(import.meta.url).resolve('typescript'));
  const wanted =
    /^lib\.(?:es5|es20(?:1\d|2[0-3])(?:\.(?!full)\w+)*|decorators(?:\.legacy)?|esnext\.disposable|webworker(?:\.iterable|\.asynciterable)?)\.d\.ts$/;
  for (const name of readdirSync(lib).filter((each) => wanted.test(each)))
    found[`/lib/${name}`] = readFileSync(join(lib, name), 'utf8');
  return found;
}
