import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../..');
const directory = join(root, 'build/resp-server');

/** Where `buildCppServer` puts it. */
export const cppBinary = join(directory, 'cpp/examples/resp/resp-server');
/** Where `buildJobsWorker` puts it. */
export const jobsWorker = join(directory, 'cpp/examples/jobs/jobs-worker');
/** Where `buildPlugins` puts them. `RESP_PLUGINS` names another folder. */
export const pluginFolder =
  process.env['RESP_PLUGINS'] ?? join(directory, 'cpp/examples/resp/plugins');
/** What `tools/python wheel` has installed the Python package for. */
export const python = join(root, 'build/python/fresh/bin/python');

type Told = (line: string) => void;

/** Builds the C++ server, optimised, and nothing else. `told` gets what cmake and ninja say, line by line. */
export function buildCppServer(told: Told): Promise<void> {
  return buildCpp('resp-server', told);
}

/** Builds the plug-ins of the example, in C, C++ and Rust. */
export function buildPlugins(told: Told): Promise<void> {
  return buildCpp('resp-plugins', told);
}

/** Builds the worker of the example jobs. */
export function buildJobsWorker(told: Told): Promise<void> {
  return buildCpp('jobs-worker', told);
}

/** Builds the addon, by which Node loads plug-ins. */
export function buildAddon(told: Told): Promise<void> {
  return run(process.execPath, [join(root, 'native/install.mjs'), '--again'], told);
}

/** Builds the Python package, and installs it into an environment of its own. */
export function buildPython(told: Told): Promise<void> {
  return run(join(root, 'tools/python'), ['wheel'], told);
}

async function buildCpp(target: string, told: Told): Promise<void> {
  const off = ['BUILD_TESTS', 'INSTALL'].map((option) => `-DSTEPTREE_${option}=OFF`);
  const defined = ['-DCMAKE_BUILD_TYPE=Release', '-DSTEPTREE_UNITY=ON', ...off];
  await run('cmake', ['-S', root, '-B', directory, '-G', 'Ninja', ...defined], () => {});
  const jobs = String(availableParallelism());
  await run('cmake', ['--build', directory, '--target', target, '-j', jobs], told);
}

/** Runs a command in the repository. It fails with all that this has said. */
export async function run(command: string, args: string[], told: Told): Promise<void> {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  const exit = once(child, 'close');
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      said.push(line);
      told(line);
    });
  }
  const [code] = (await exit) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${said.join('\n')}`);
}

if (process.argv[1] === import.meta.filename) await buildCppServer((line) => console.log(line));
