/** What runs in the pages, bundled; what isn't needed at once is a file of its own. */
import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import { root } from './root.js';

const common: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  define: { 'globalThis.process': 'undefined' },
  alias: { steptree: join(root, 'js/src/index.ts') },
  legalComments: 'none',
  logLevel: 'warning',
};

const page = (name: string) => `site/page/${name}.ts`;

export function bundleScripts(folder: string): void {
  buildSync({
    ...common,
    entryPoints: ['main', 'suite', 'playground'].map(page),
    outdir: folder,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
  });
  // A program and who runs it have one package.
  buildSync({
    ...common,
    entryPoints: ['runner', 'watched'].map((name) => page(`playground/${name}`)),
    outdir: join(folder, 'workers'),
    splitting: true,
    chunkNames: '[name]-[hash]',
  });
  buildSync({
    ...common,
    entryPoints: [page('playground/language')],
    outdir: join(folder, 'workers'),
    format: 'iife',
    // TypeScript asks for them in Node only.
    external: ['fs', 'path', 'os', 'crypto', 'inspector', 'perf_hooks', 'url', 'module'],
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
