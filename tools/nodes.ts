/** The Nodes that package.json's `config` names, as npm carries them: the newest, and lines before it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { config } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const packageName = `node-${process.platform}-${process.arch}`;

/** `20.20.2`; of the newest without a `line`. */
export function versionOf(line?: string): string {
  return line === undefined ? config.newestNode : config[`node${line}`];
}

const folderOf = (line?: string) => join(root, '.cache', `${packageName}-${versionOf(line)}`);

/** Where it is once it was fetched. */
export function pathOf(line?: string): string {
  return join(folderOf(line), 'node_modules', packageName, 'bin/node');
}

/** Its path; it is fetched if it isn't there. */
export function fetchNode(line?: string): string {
  const path = pathOf(line);
  if (existsSync(path)) return path;
  const folder = folderOf(line);
  mkdirSync(folder, { recursive: true });
  const wanted = `${packageName}@${versionOf(line)}`;
  execFileSync(
    'npm',
    ['install', '--no-save', '--ignore-scripts', '--loglevel=error', '--prefix', folder, wanted],
    { stdio: ['ignore', 2, 2] },
  );
  return path;
}
