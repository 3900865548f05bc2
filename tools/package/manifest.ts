/** What the package.json of a package that is published beside steptree's own has. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** That of a folder of the repository without some of its keys; where the repository is stands in the root's only. */
export function manifestOf(root: string, folder: string, without: readonly string[]): object {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const manifest = read(`${folder}/package.json`);
  for (const key of without) delete manifest[key];
  const { repository } = read('package.json');
  return repository === undefined
    ? manifest
    : { ...manifest, repository: { ...repository, directory: folder } };
}
