import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pluginFolder } from './build.js';

/** In C, in C++, in Rust: what all three servers load. */
const names = ['tokens', 'wait', 'words'] as const;

/** Whoever is interrupted leaves none. */
const kept = new Set<PluginFiles>();
process.once('exit', () => {
  for (const files of kept) files.remove();
});

/** Copies of the plug-ins, in a folder of their own, over which others may be written. `RESP_PLUGINS` names another build. */
export class PluginFiles {
  readonly folder = mkdtempSync(join(tmpdir(), 'resp-plugins-'));
  readonly tokens = this.copy('tokens');
  readonly wait = this.copy('wait');
  readonly words = this.copy('words');

  constructor() {
    kept.add(this);
  }

  /** For the command line of a server. */
  get options(): string[] {
    return names.flatMap((name) => ['--plugin', this[name]]);
  }

  /** Another file in its place, as a deployment does it: there is no moment at which it's half there. */
  replace(file: string, by: string): void {
    const beside = `${file}.new`;
    copyFileSync(by, beside);
    renameSync(beside, file);
  }

  /** The next version of `wait` in its place. */
  replaceWait(): void {
    this.replace(this.wait, join(pluginFolder, 'wait-2.so'));
  }

  /** The first one again. */
  restoreWait(): void {
    this.replace(this.wait, join(pluginFolder, 'wait.so'));
  }

  remove(): void {
    kept.delete(this);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private copy(name: string): string {
    const copy = join(this.folder, `${name}.so`);
    copyFileSync(join(pluginFolder, `${name}.so`), copy);
    return copy;
  }
}
