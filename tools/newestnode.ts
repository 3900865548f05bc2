/** Prints the path of the newest Node that npm carries, or the newest 22 or 24 if that is asked for, fetching it first if it isn't here. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { config } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const [, , line] = process.argv;
const version = line === undefined ? config.newestNode : config[`node${line}`];
const name = `node-${process.platform}-${process.arch}`;
const folder = join(root, '.cache', `${name}-${version}`);
const binary = join(folder, 'node_modules', name, 'bin/node');

if (!existsSync(binary)) {
  mkdirSync(folder, { recursive: true });
  execFileSync(
    'npm',
    [
      'install',
      '--no-save',
      '--ignore-scripts',
      '--loglevel=error',
      '--prefix',
      folder,
      `${name}@${version}`,
    ],
    { stdio: ['ignore', 2, 2] },
  );
}
console.log(binary);
