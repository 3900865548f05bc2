/** A copy of the working tree: what is mutated. The checkout itself is only read. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function copyTree(root: string): string {
  mkdirSync(join(root, 'build'), { recursive: true });
  const tree = mkdtempSync(join(root, 'build/mutate-'));
  process.on('exit', () => rmSync(tree, { recursive: true }));
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root });
  for (const file of list.toString().trim().split('\n')) {
    if (!existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    cpSync(join(root, file), join(tree, file));
  }
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}
