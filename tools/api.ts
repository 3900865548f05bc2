/**
 * Keeps in `js/api/` what users see of each entry, as API Extractor reads it from the types: a change of it is a change of these files.
 *
 *   npm run api               builds, and writes them
 *   npm run api -- --check    says which aren't what the types are now
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownEntries } from './package/entries.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Names of reports, and the types that they are of. */
export const entries: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ownEntries.map((name) => [name, `dist/${name}.d.cts`])),
  native: 'build/native/dist/index.d.ts',
};

/** What API Extractor has to say of the types otherwise is none of its business; that they don't compile is. */
const silent = { default: { logLevel: 'none' } };
const failing = { default: { logLevel: 'error' } };

function report(name: string, types: string, folder: string): void {
  const file = join(root, 'tools/package/checkers/package.json');
  const { Extractor, ExtractorConfig } = createRequire(file)('@microsoft/api-extractor');
  const compilerOptions = {
    ...{ target: 'ES2022', module: 'Node16', moduleResolution: 'Node16', strict: true },
    ...{ lib: ['ES2022', 'ESNext.Disposable'], types: ['node'], skipLibCheck: true },
    paths: { steptree: [join(root, 'dist/index.d.cts')] },
  };
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: join(root, types),
      compiler: { overrideTsconfig: { compilerOptions, files: [join(root, types)] } },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: folder,
        reportTempFolder: join(folder, 'temp'),
        includeForgottenExports: name === 'index',
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: failing,
        extractorMessageReporting: silent,
        tsdocMessageReporting: silent,
      },
    },
  });
  const messageCallback = (message: { logLevel: string; handled: boolean }) => {
    if (message.logLevel !== 'error') message.handled = true;
  };
  const { errorCount } = Extractor.invoke(config, { localBuild: true, messageCallback });
  if (errorCount > 0) throw new Error(`${types}: ${errorCount} errors`);
}

/** Which reports of the folder aren't what the types say. */
export function stale(names: readonly string[], folder: string): string[] {
  const fresh = mkdtempSync(join(tmpdir(), 'api-'));
  try {
    return names.filter((name) => {
      report(name, entries[name]!, fresh);
      const stored = join(folder, `${name}.api.md`);
      return !existsSync(stored) || readFileSync(stored, 'utf8') !== text(fresh, name);
    });
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

const text = (folder: string, name: string) => readFileSync(join(folder, `${name}.api.md`), 'utf8');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(root, 'js/api');
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: root, stdio: 'inherit' });
  run('npm', 'run', '--silent', 'build');
  run('node_modules/.bin/tsc', '-p', 'native/tsconfig.build.json');
  if (process.argv.includes('--check')) {
    for (const name of stale(Object.keys(entries), folder)) {
      console.log(`js/api/${name}.api.md: the types say something else: npm run api`);
      process.exitCode = 1;
    }
  } else {
    rmSync(folder, { recursive: true, force: true });
    for (const [name, types] of Object.entries(entries)) report(name, types, folder);
    rmSync(join(folder, 'temp'), { recursive: true });
  }
}
