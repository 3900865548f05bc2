/**
 * Builds `dist/`, what the package consists of.
 *
 *     index.cjs, ENTRY.cjs       what Node runs, however it is loaded, and whoever knows no `exports`
 *     node.js, nodeENTRY.js      the same objects, for `import`: a process has one of each
 *     index.js, ENTRY.js         for bundlers, which leave out what isn't used
 *     browser.js                 as index.js, without what only Node has
 *     *.d.cts                    the types; index.d.ts and those of the other entries hand them on, so that those of one are those of the other
 *     *.map                      where of the sources a line comes from, and these
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync, type Format } from 'esbuild';
import { inspectorProgram } from './inspector.js';
import { entries, ownEntries } from './package/entries.js';
import { redisScripts } from './redis/scripts.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

/** Bundles a module of the sources. Returns the names of what it exports. */
function bundle(source: string, outfile: string, format: Format, more: BuildOptions = {}) {
  const { metafile } = buildSync({
    entryPoints: [join(root, 'js/src', source)],
    outfile: join(dist, outfile),
    format,
    bundle: true,
    metafile: true,
    target: 'es2022',
    minifySyntax: true,
    sourcemap: 'linked',
    platform: format === 'cjs' ? 'node' : 'neutral',
    logLevel: 'warning',
    ...more,
  });
  return Object.values(metafile!.outputs).find(({ entryPoint }) => entryPoint)!.exports;
}

/** What one module of the package takes from another one is not bundled, but found under this name. */
function redirect(file: string, name: string): void {
  const path = join(dist, file);
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"./index.js"', `"${name}"`));
}

function handOn(names: readonly string[], from: string, file: string): void {
  writeFileSync(join(dist, file), `export { ${names.join(', ')} } from './${from}';\n`);
}

rmSync(dist, { recursive: true, force: true });
execFileSync(
  join(root, 'node_modules/.bin/tsc'),
  ['-p', 'js/tsconfig.build.json', '--emitDeclarationOnly'],
  { cwd: root, stdio: 'inherit' },
);

const names = bundle('index.ts', 'index.js', 'esm');
bundle('index.ts', 'browser.js', 'esm', { define: { 'globalThis.process': 'undefined' } });
bundle('index.ts', 'index.cjs', 'cjs');
handOn(names, 'index.cjs', 'node.js');

/** It has one of all objects, as it takes them from the first entry. */
function entry(name: string, options: BuildOptions = {}): void {
  const more = { external: ['./index.js', '@opentelemetry/api'], ...options };
  const names = bundle(`${name}.ts`, `${name}.js`, 'esm', more);
  redirect(`${name}.js`, 'steptree');
  bundle(`${name}.ts`, `${name}.cjs`, 'cjs', more);
  redirect(`${name}.cjs`, './index.cjs');
  handOn(names, `${name}.cjs`, `node${name}.js`);
}

const defined: Readonly<Record<string, Record<string, string>>> = {
  redis: { 'globalThis.redisScripts': JSON.stringify(redisScripts()) },
  inspector: { 'globalThis.inspectorProgram': JSON.stringify(inspectorProgram()) },
};
for (const name of ownEntries) if (name !== 'index') entry(name, { define: defined[name] ?? {} });
// Bundlers say themselves what they don't find.
const addon = { external: ['steptree', 'steptree-native'] };
const ofAddon = bundle('../../native/found.ts', 'native.js', 'esm', addon);
bundle('native.ts', 'native.js', 'esm', addon);
bundle('../../native/found.ts', 'native.cjs', 'cjs', addon);
handOn(ofAddon, 'native.cjs', 'nodenative.js');

for (const name of readdirSync(dist).filter((name) => name.endsWith('.d.ts'))) {
  const path = join(dist, name);
  const types = readFileSync(path, 'utf8');
  writeFileSync(
    path.replace(/ts$/, 'cts'),
    types.replaceAll(/(['"]\.\/\w+)\.js(['"])/g, '$1.cjs$2'),
  );
  rmSync(path);
}
for (const name of entries)
  writeFileSync(join(dist, `${name}.d.ts`), `export * from './${name}.cjs';\n`);
