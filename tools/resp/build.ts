import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../..');
const directory = join(root, 'build/resp-server');

/** Where `buildCppServer` puts it. */
export const cppBinary = join(directory, 'cpp/examples/resp/resp-server');

/** Builds the C++ server, optimised, and nothing else. `told` gets what cmake and ninja say, line by line. */
export async function buildCppServer(told: (line: string) => void): Promise<void> {
  const off = ['BUILD_TESTS', 'INSTALL'].map((option) => `-DSTEPTREE_${option}=OFF`);
  const defined = ['-DCMAKE_BUILD_TYPE=Release', '-DSTEPTREE_UNITY=ON', ...off];
  await run(['-S', root, '-B', directory, '-G', 'Ninja', ...defined], () => {});
  const jobs = String(availableParallelism());
  await run(['--build', directory, '--target', 'resp-server', '-j', jobs], told);
}

async function run(args: string[], told: (line: string) => void): Promise<void> {
  const child = spawn('cmake', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  const exit = once(child, 'close');
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      said.push(line);
      told(line);
    });
  }
  const [code] = (await exit) as [number | null];
  if (code !== 0) throw new Error(`cmake ${args.join(' ')} failed:\n${said.join('\n')}`);
}

if (process.argv[1] === import.meta.filename) await buildCppServer((line) => console.log(line));
