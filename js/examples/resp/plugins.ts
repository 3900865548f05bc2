import { type IAsyncSteps, StepError } from '../../src/index.js';
import type * as Native from '../../../native/ts/index.js';
import type { Command } from './parser.js';
import { bytesOf, replyOf, wordsOf } from './pluginreply.js';
import { offerKeys } from './services.js';
import type { Store } from './store.js';

/** What a plug-in can do, as a command: the handler `take` of the plug-in `tokens` is TOKENS.TAKE. */
export interface PluginCommand {
  plugin: Native.Plugin;
  handler: string;
  /** So many arguments it takes, */
  least: number;
  /** at most. */
  most: number;
}

/** A file of `--plugin`, and what has come of it. */
export interface PluginFile {
  readonly file: string;
  readonly plugin: Native.Plugin;
}

/** Of commands that are the server's own. */
const ownName = 'steptree';

/** The plug-ins of the server. They see its keys, by services, and nothing else of it. */
export class Plugins {
  /** In the order in which they were loaded first. */
  readonly files: PluginFile[] = [];
  /** By their names in lower case. */
  readonly commands = new Map<string, PluginCommand>();
  private readonly store: Store;
  /** Of `steptree-native`, which is needed for the first file. */
  private native: Promise<typeof Native> | undefined;

  constructor(store: Store) {
    this.store = store;
  }

  /**
   * Loads a file, in the place of what came of it before: commands that begin from now on take the new one. Throws `PluginRefused`: what has
   * served goes on then.
   */
  async load(file: string): Promise<PluginFile> {
    this.native ??= this.open();
    const { load } = await this.native;
    const plugin = await load(file);
    if (plugin.name.toLowerCase() === ownName) {
      void plugin.unload();
      refuseFile(file, "commands that begin with 'steptree.' are the server's own");
    }
    const other = this.files.find(({ plugin: { name } }) => name === plugin.name);
    if (other && other.file !== file) await this.giveBack(other, file);
    const own = this.files.findIndex((known) => known.file === file);
    const old = this.files[own]?.plugin;
    if (old && old.name !== plugin.name) void old.unload();
    const loaded = { file, plugin };
    this.files.splice(own < 0 ? this.files.length : own, 1, loaded);
    this.list();
    return loaded;
  }

  /** undefined: there is no such command. */
  find(name: string): PluginCommand | undefined {
    return this.commands.get(name.toLowerCase());
  }

  /** Adds the steps of a command, which leave the reply. Its arguments are bytes. */
  run(asi: IAsyncSteps, { plugin, handler }: PluginCommand, args: Command): void {
    asi.add(
      plugin
        .step(handler)
        .with(...args.slice(1).map(bytesOf))
        .onError(inBytes),
    );
    asi.add((step: IAsyncSteps, ...left: unknown[]) => step.success(replyOf(left)));
  }

  private async open(): Promise<typeof Native> {
    const native = await import('../../../native/ts/index.js');
    offerKeys(native, this.store);
    return native;
  }

  // A file has taken the name of another one: that is loaded again, for it is still there.
  private async giveBack(other: PluginFile, file: string): Promise<never> {
    const { name } = other.plugin;
    const { load } = await this.native!;
    const at = this.files.indexOf(other);
    try {
      this.files[at] = { file: other.file, plugin: await load(other.file) };
    } catch (error) {
      void other.plugin.unload();
      this.files.splice(at, 1);
      this.list();
      refuseFile(file, `'${name}' is the name of ${(error as StepError).info}, too`);
    }
    this.list();
    refuseFile(file, `its name '${name}' is that of ${other.file}, too`);
  }

  private list(): void {
    this.commands.clear();
    for (const { plugin } of this.files) {
      for (const { name, least, most } of plugin.handlers) {
        const command = `${plugin.name}.${name}`.toLowerCase();
        if (this.commands.has(command)) continue;
        this.commands.set(command, { plugin, handler: name, least, most });
      }
    }
  }
}

function refuseFile(file: string, why: string): never {
  throw new StepError('PluginRefused', `${file}: ${why}`);
}

// Native errors are texts; replies are strings of bytes.
function inBytes(asi: IAsyncSteps, code: string): void {
  const info = asi.state.error_info ?? '';
  const [codeBytes, infoBytes] = [wordsOf(code), wordsOf(info)];
  if (codeBytes !== code || infoBytes !== info) asi.error(codeBytes, infoBytes);
}
