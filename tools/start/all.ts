import {
  buildAddon,
  buildCppServer,
  buildPlugins,
  buildPython,
  run as runCommand,
} from '../resp/build.js';
import { PluginFiles } from '../resp/plugins.js';
import type { ServerProcess } from '../resp/serverprocess.js';
import { cppServer, jsServer, pythonServer } from '../resp/servers.js';
import { showDeadline } from './deadline.js';
import { compareLines } from './pluginlines.js';
import { announce, flash, say } from './progress.js';
import { showTotals, startServers } from './servers.js';
import { showSwap } from './swap.js';

const parts = 6;
const builds = [
  ['the C++ server', buildCppServer],
  ['the plug-ins: tokens in C, wait in C++, words in Rust', buildPlugins],
  ['steptree-native, by which Node loads them', buildAddon],
  ['the Python package', buildPython],
] as const;

/**
 * `npm start -- all`: the same three plug-ins, in C, C++ and Rust, in three servers, in C++, JavaScript and Python. True: all have answered
 * alike, none was late, and a plug-in was replaced under load without a request that was lost.
 */
export async function startAll(servers: ServerProcess[]): Promise<boolean> {
  announce(parts, 'installing what is missing: tools/setup all');
  await runCommand('tools/setup', ['all'], flash);
  announce(parts, 'building: some minutes at first, most of them for the Python package');
  for (const [what, build] of builds) {
    say(`    ${what}`);
    await build(flash);
  }
  const files = new PluginFiles();
  try {
    return await show(servers, files);
  } finally {
    files.remove();
  }
}

async function show(servers: ServerProcess[], files: PluginFiles): Promise<boolean> {
  announce(parts, 'three servers, each with the same three files');
  const options = [...files.options, '--commandMs', '2000'];
  await startServers(servers, [jsServer, cppServer, pythonServer], options);
  for (const file of files.options.filter((_, i) => i % 2 === 1)) say(`    --plugin ${file}`);

  announce(parts, 'commands of the plug-ins, through redis-cli');
  const typed = await compareLines(servers);
  say(`\n    ${typed.asked} answers, ${verdict(typed.different)}`);

  announce(parts, 'a deadline of 2000 ms of each server, seen and kept by the plug-in in C++');
  const late = await showDeadline(servers);
  say(`\n    ${late.asked} answers, ${verdict(late.different)}`);

  announce(parts, 'a plug-in is replaced while redis-benchmark runs');
  const swaps = [];
  for (const server of servers) {
    files.restoreWait();
    swaps.push(await showSwap(server, files));
  }
  const clean = await showTotals(servers, typed.errors + late.errors, 'timers');
  return clean && swaps.every(Boolean) && typed.different === 0 && late.different === 0;
}

function verdict(different: number): string {
  return different === 0 ? 'all equal' : `${different} of them DIFFERENT`;
}
