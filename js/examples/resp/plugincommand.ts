import type { IAsyncSteps } from '../../src/index.js';
import type { Client } from './client.js';
import { unknownSubcommand, wrongArity } from './errors.js';
import type { Command } from './parser.js';
import type { Plugins } from './plugins.js';
import { array, bulk, bulkArray, integer } from './reply.js';
import { bytesOf, wordsOf } from './pluginreply.js';

/** A command that isn't done by then waits: until then a client who has closed his side is answered. */
const soonMs = 1000;

/** PLUGIN LIST | RELOAD file: one of `--plugin`, and no other, so that no client brings code */
export function plugin(asi: IAsyncSteps, client: Client, args: Command): void {
  const { plugins } = client.shared;
  const subcommand = args[1]!.toLowerCase();
  const reloads = subcommand === 'reload';
  if (!reloads && subcommand !== 'list') unknownSubcommand(asi, 'plugin', args[1]!);
  if (args.length !== (reloads ? 3 : 2)) wrongArity(asi, `plugin|${subcommand}`);
  if (reloads) reload(asi, plugins, args[2]!);
  else asi.success(filesReply(plugins));
}

function filesReply({ files }: Plugins): string {
  const rows = files.map(({ file, plugin: { name, version } }) => {
    return bulkArray([name, version, file].map(wordsOf));
  });
  return array(rows);
}

function reload(asi: IAsyncSteps, plugins: Plugins, file: string): void {
  const path = bytesOf(file).toString();
  if (!plugins.files.some((known) => known.file === path)) {
    asi.error('ERR', `'${file.slice(0, 128)}' is no file of --plugin`);
  }
  asi.add(
    async () => {
      const { name, version } = (await plugins.load(path)).plugin;
      return bulk(wordsOf(`${name} ${version}`));
    },
    (step, code) => step.error(code, wordsOf(step.state.error_info ?? '')),
    'reload',
  );
}

/** False: no plug-in has that command. Else its steps are added, and the client may leave it when it waits. */
export function runPlugin(asi: IAsyncSteps, client: Client, args: Command): boolean {
  const { plugins, tool } = client.shared;
  const command = plugins.find(args[0]!);
  if (!command) return false;
  const count = args.length - 1;
  if (count < command.least || count > command.most) wrongArity(asi, args[0]!.toLowerCase());
  const soon = tool.deferred(soonMs, () => client.waits());
  asi.defer(() => soon.cancel());
  plugins.run(asi, command, args);
  return true;
}

/** What COMMAND says of those of plug-ins. */
export function pluginEntries({ commands }: Plugins): string[] {
  return [...commands].map(([name, { least, most }]) => {
    return array([bulk(name), integer(least === most ? least + 1 : -(least + 1))]);
  });
}
