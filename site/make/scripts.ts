/** What runs in the pages, bundled; what isn't needed at once is a file of its own. */
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { root } from './root.js';

export function bundleScripts(folder: string): void {
  buildSync({
    absWorkingDir: root,
    entryPoints: ['main', 'suite'].map((name) => `site/page/${name}.ts`),
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    define: { 'globalThis.process': 'undefined' },
    alias: { steptree: join(root, 'js/src/index.ts') },
    chunkNames: 'parts/[name]-[hash]',
    legalComments: 'none',
    logLevel: 'warning',
  });
  buildSync({
    absWorkingDir: root,
    entryPoints: ['site/style/site.css'],
    outdir: folder,
    bundle: true,
    minify: true,
    target: 'chrome123',
    logLevel: 'warning',
  });
}
