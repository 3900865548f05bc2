// Builds the addon with CMake, when npm installs the package. What there is already, is kept.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const own = dirname(fileURLToPath(import.meta.url));
const place = join('prebuilds', `${process.platform}-${process.arch}`, 'steptree.node');

function fail(why) {
  console.error(
    `steptree-native: there is no ${place}, and it can't be built: ${why}; it takes CMake 3.22 and a compiler for C++20.`,
  );
  process.exit(1);
}

function run(...args) {
  const { error, status, stdout, stderr } = spawnSync('cmake', args, { encoding: 'utf8' });
  if (error) fail(error.code === 'ENOENT' ? 'cmake is not installed' : error.message);
  if (status === 0) return;
  console.error(stdout + stderr);
  const compiler = /No CMAKE_CXX_COMPILER could be found|compiler .* is not able to compile/;
  fail(compiler.test(stdout + stderr) ? 'no C++ compiler works' : 'see above');
}

if (!existsSync(join(own, place)) || process.argv.includes('--again')) {
  const require = createRequire(import.meta.url);
  const headers = require('node-api-headers').include_dir;
  const build = join(own, 'build');
  run('-S', own, '-B', build, `-DNODE_API_HEADERS=${headers}`);
  run('--build', build, '--target', 'steptree-native', '--parallel', '2');
}
