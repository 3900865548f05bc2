import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  exports: Readonly<Record<string, unknown>>;
};

/** What `steptree/…` is, as package.json exports it. */
export const subpaths: readonly string[] = Object.keys(exports)
  .filter((path) => path.startsWith('./') && path !== './package.json')
  .map((path) => path.slice(2));

/** The files that all entries are made of, by their stems: `index` is `steptree` itself. */
export const entries: readonly string[] = ['index', ...subpaths];

/** Those whose types stand in the package: `steptree/native` hands on what `steptree-native` has. */
export const ownEntries: readonly string[] = entries.filter((name) => name !== 'native');

/** Where the sources of each are, for a compiler's `paths`. */
export const sourcePaths: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ownEntries.map((name) => [
    name === 'index' ? 'steptree' : `steptree/${name}`,
    [fileURLToPath(new URL(`js/src/${name}.ts`, root))],
  ]),
);
