/** Fuzzes the C++ engine: libFuzzer makes programs of the case language, coverage leads it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mainOf, UsageError, valuesOf } from '../conformance/commandline.js';

const usage = `usage: npm run fuzz:cpp -- [options]
  --minutes N      how long, all that is known is run first; left out, 5
  --update         keeps what reaches more in cpp/fuzz/corpus.txt, each input no longer than it has to be
  --input FILE     runs one input that was found, and prints its case`;

const root = fileURLToPath(new URL('..', import.meta.url));
const corpusFile = join(root, 'cpp/fuzz/corpus.txt');
const folder = join(root, 'build/fuzz');
const fuzzer = join(folder, 'cpp/steptree-fuzz');
const corpus = join(folder, 'corpus');
const longest = 256;

function build(): void {
  const command = 'cmake --preset fuzz && cmake --build --preset fuzz -j 2 --target steptree-fuzz';
  execFileSync('bash', ['-c', `{ ${command}; } >&2`], { cwd: root, stdio: 'inherit' });
}

/** The inputs that are kept, a file each, as the fuzzer wants them. */
function unpack(): void {
  rmSync(corpus, { recursive: true, force: true });
  mkdirSync(corpus, { recursive: true });
  for (const line of readFileSync(corpusFile, 'utf8').split('\n')) {
    if (line === '') continue;
    const input = Buffer.from(line, 'hex');
    writeFileSync(join(corpus, createHash('sha1').update(input).digest('hex')), input);
  }
}

/** The fewest inputs that reach what all of them do. */
function update(): void {
  const merged = join(folder, 'merged');
  rmSync(merged, { recursive: true, force: true });
  mkdirSync(merged);
  fuzz(['-set_cover_merge=1', '-use_counters=0', merged, corpus]);
  const lines = readdirSync(merged).map((name) => readFileSync(join(merged, name)).toString('hex'));
  writeFileSync(corpusFile, `${lines.sort().join('\n')}\n`);
  console.log(`${lines.length} inputs kept`);
}

function fuzz(args: readonly string[], env: NodeJS.ProcessEnv = {}): number {
  const limits = [`-max_len=${longest}`, '-timeout=60', '-rss_limit_mb=2000'];
  const found = `-artifact_prefix=${folder}/found-`;
  const { status } = spawnSync(fuzzer, [...limits, found, ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status ?? -1;
}

await mainOf(usage, async (args) => {
  const options = valuesOf(args, {
    minutes: { type: 'string', default: '5' },
    update: { type: 'boolean' },
    input: { type: 'string' },
  });
  const seconds = Math.round(Number(options.minutes) * 60);
  if (!(seconds > 0)) throw new UsageError(`--minutes ${options.minutes}: expected a number`);
  build();
  if (options.input !== undefined) return fuzz([options.input], { STEPTREE_FUZZ_PRINT: '1' });
  unpack();
  const code = fuzz([
    '-len_control=0',
    `-max_total_time=${seconds}`,
    '-verbosity=0',
    '-print_final_stats=1',
    corpus,
  ]);
  if (code === 0 && options.update) update();
  if (code !== 0) console.error(`npm run fuzz:cpp -- --input ${folder}/found-…  runs it again`);
  return code === 0 ? 0 : 1;
});
