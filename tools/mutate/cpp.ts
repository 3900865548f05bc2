/**
 * C++: one object is built, as the dev build does but with sanitizers, and takes the place of the original in the adapter and in the
 * unit tests: leaks are seen everywhere, bad accesses where the mutated code makes them. Headers stay as they are: each is part of
 * forty objects.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { LoadedCase } from '../../conformance/case.js';
import { type AdapterCommand, firstFailure, silenceMs } from './cases.js';
import { inOrder } from './order.js';
import { run } from './run.js';
import { copyTree } from './tree.js';
import type { Workshop } from './workshop.js';

const preset = 'dev';
const sanitized = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
const library = 'cpp/libsteptree.a';
const compileLimitMs = 300_000;
const options = 'symbolize=0:hard_rss_limit_mb=3000';
// What all files include is compiled once, which halves the time of each.
const common = 'common.hpp';
const env = { ASAN_OPTIONS: options, UBSAN_OPTIONS: 'symbolize=0' };
// Memory that is pooled hides what is used after it was given back.
const unpooled = { ...env, STEPTREE_MEMPOOL: 'off' };
const checks = ['-O0', '-g0', '-Werror=return-type', ...sanitized];
const dropped = /^-(?:O\w|g\d?|W(?:all|extra|error))$/;

interface Build {
  readonly root: string;
  readonly folder: string;
  readonly tree: string;
}

export function buildOriginal(root: string): void {
  const targets = ['--target', 'steptree-conformance', '--target', 'steptree-tests'];
  execFileSync('cmake', ['--preset', preset], { cwd: root, stdio: 'ignore' });
  const build = ['--build', '--preset', preset, '-j', '2', ...targets];
  execFileSync('cmake', build, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

export async function cppWorkshop(root: string, cases: readonly LoadedCase[]): Promise<Workshop> {
  const build = { root, folder: join(root, 'build', preset), tree: copyTree(root) };
  const { tree } = build;
  const made = (target: string) => join(tree, basename(target));
  const adapter = made('cpp/steptree-conformance');
  const async: AdapterCommand = { name: 'cpp', command: [adapter], env: unpooled };
  const nitro = { name: 'nitro', command: [adapter, '--flow', 'nitro'], env: unpooled };
  const optimised = new Map<string, Buffer>();
  writeFileSync(join(tree, common), '#include "engine.hpp"\n');
  const header = [
    ...compileCommand(build, 'cpp/src/run.cpp', join(tree, `${common}.gch`)),
    ...checks,
  ];
  header.splice(header.indexOf('-c'), 2, '-x', 'c++-header', join(tree, common));
  const { exitCode, output } = await run(header, build.folder, compileLimitMs);
  if (exitCode !== 0) throw new Error(`cannot be compiled: ${output}`);
  return {
    tree,
    async build(file, _, mutated) {
      writeFileSync(join(tree, file), mutated);
      const flags = [...checks, '-include', join(tree, common)];
      if (!(await compile(build, file, flags, join(tree, 'mutated.o')))) return 'broken';
      copyFileSync(join(build.folder, library), join(tree, 'rest.a'));
      execFileSync('ar', ['d', join(tree, 'rest.a'), `${basename(file)}.o`]);
      await link(build, 'cpp/steptree-conformance', adapter);
      return 'made';
    },
    defences: ({ chapters, ownTests, otherTests }, limitMs) => {
      const ordered = inOrder(cases, chapters);
      const tests = made('cpp/steptree-tests');
      return [
        () => firstFailure(async, ordered, tree, limitMs),
        async () => {
          await link(build, 'cpp/steptree-tests', tests);
          return unitTests(build, tests, ownTests, limitMs);
        },
        () => firstFailure(nitro, ordered, tree, limitMs),
        () => unitTests(build, tests, otherTests, limitMs),
      ];
    },
    async isSame(file, source, mutated) {
      const path = join(tree, file);
      const object = join(tree, 'optimised.o');
      const make = async (text: string) => {
        writeFileSync(path, text);
        await compile(build, file, ['-O2', '-g0'], object);
        return readFileSync(object);
      };
      const original = optimised.get(file) ?? (await make(source));
      optimised.set(file, original);
      return original.equals(await make(mutated));
    },
  };
}

async function compile(
  build: Build,
  file: string,
  flags: readonly string[],
  object: string,
): Promise<boolean> {
  const command = [...compileCommand(build, file, object), ...flags];
  return (await run(command, build.folder, compileLimitMs)).exitCode === 0;
}

/** As the dev build compiles the file, but for how much it optimises, describes and warns. */
function compileCommand({ root, folder, tree }: Build, file: string, object: string): string[] {
  const list: { file: string; command: string }[] = JSON.parse(
    readFileSync(join(folder, 'compile_commands.json'), 'utf8'),
  );
  const found = list.find((entry) => entry.file === join(root, file))!;
  const words = found.command.split(' ').filter((word) => !dropped.test(word));
  words[words.indexOf('-o') + 1] = object;
  return words.map((word) => word.replace(`${root}/cpp/`, `${tree}/cpp/`));
}

/** The program as the build links it, with the mutated object in the place of the original. */
async function link({ folder, tree }: Build, target: string, program: string): Promise<void> {
  const commands = execFileSync('ninja', ['-t', 'commands', target], { cwd: folder });
  const last = commands.toString().trim().split('\n').at(-1)!;
  // `: && link … && what is done after it`
  const words = last.split(' && ')[1]!.split(' ').filter(Boolean);
  words[words.indexOf('-o') + 1] = program;
  const objects = [join(tree, 'mutated.o'), join(tree, 'rest.a')];
  const all = words.flatMap((word) => (word === library ? objects : word));
  const { exitCode, output } = await run([...all, '-s', ...sanitized], folder, compileLimitMs);
  if (exitCode !== 0) throw new Error(`cannot be linked: ${output}`);
}

async function unitTests(
  build: Build,
  program: string,
  tests: readonly string[],
  limitMs: number,
): Promise<string | undefined> {
  if (tests.length === 0) return undefined; // Catch2 would run all
  const chosen = tests.map((test) => `[#${basename(test, '.cpp')}]`).join(',');
  const { exitCode, output } = await run(
    [program, '-#', '-a', '-d', 'yes', chosen],
    build.tree,
    limitMs,
    env,
    silenceMs,
  );
  if (exitCode === 0) return undefined;
  return /^-{79}\n(.+)\n/m.exec(output)?.[1] ?? 'unit tests';
}
