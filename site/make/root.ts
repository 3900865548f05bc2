/** Where things are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const output = join(root, 'build/site');

export const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
/** The name of a file alone: no folder, and not what it is. */
export const stemOf = (file: string) => file.replace(/^.*\//, '').replace(/\.\w+$/, '');
export const version: string = JSON.parse(textOf('package.json')).version;
