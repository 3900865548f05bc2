/** Runs the snippets of the guide's pages; each says what it prints. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as steptree from 'steptree';
import { sourcePaths } from '../package/entries.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import {
  agrees,
  cppProgram,
  outputs,
  quotesOf,
  type Snippet,
  snippetsOf,
  tsProgram,
} from './page.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const docs = join(root, 'docs');
const build = join(root, 'build/guide');

export const pages: readonly string[] = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .sort();

const stemOf = (page: string) => page.replace(/\.md$/, '').replaceAll('/', '-');

const run = promisify(execFile);

export function snippets(page: string, lang: Snippet['lang']): Snippet[] {
  return snippetsOf(join(docs, page)).filter((snippet) => snippet.lang === lang);
}

/** Where a page shows lines that its file doesn't have. */
export function misquotes(page: string): string[] {
  return quotesOf(join(docs, page))
    .filter(({ file, code }) => !readFileSync(join(root, file), 'utf8').includes(code))
    .map(({ file, line }) => `docs/${page}:${line}: not in ${file}`);
}

/** What differs from what the page says, in words. */
export function differences(page: string, all: readonly Snippet[], printed: string): string[] {
  const seen = outputs(printed);
  return all
    .filter(({ top }) => !top)
    .map(({ line, expected }) => ({ line, expected, is: seen.get(line) ?? 'nothing: not reached' }))
    .filter(({ expected, is }) => !agrees(expected, is))
    .map(({ line, expected, is }) => `docs/${page}:${line}: says\n${expected}but prints\n${is}`);
}

export function writeTs(): string {
  const folder = join(build, 'ts');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const page of pages) {
    const all = snippets(page, 'ts');
    if (all.length > 0) writeFileSync(tsOf(page), tsProgram(all, names));
  }
  const options = { noUnusedLocals: false, noUnusedParameters: false, types: ['node'] };
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { ...options, paths: sourcePaths },
    include: ['*.ts'],
    exclude: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  return folder;
}

const names = Object.keys(steptree);

export const tsOf = (page: string) => join(build, 'ts', `${stemOf(page)}.ts`);

export async function checkTs(): Promise<string> {
  const { stdout } = await run('tsc', ['-p', writeTs()]).catch((failed) => failed);
  return stdout;
}

export async function runTs(page: string): Promise<string> {
  const usesRedis = snippets(page, 'ts').some(({ code }) => code.includes("'steptree/redis'"));
  return withRedis(usesRedis, async (server) => {
    const own = { TSX_TSCONFIG_PATH: join(build, 'ts/tsconfig.json'), REDIS_URL: server?.url };
    const scripts = usesRedis ? ['--import', join(root, 'js/redis/scripts.ts')] : [];
    const args = ['--import', 'tsx', ...scripts, tsOf(page)];
    const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...own } });
    return stdout;
  });
}

/** What docs/README.md says that a program includes. */
const frame = readFileSync(join(docs, 'README.md'), 'utf8').match(/(?<=^ {4})#include .*\n/gm)!;

async function prepareCpp(): Promise<string> {
  const folder = join(build, 'cpp');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'frame.hpp'), frame.join(''));
  await run('g++', [...flags, '-x', 'c++-header', join(folder, 'frame.hpp')]);
  return folder;
}

/** The headers of the core that `steptree/all.hpp` doesn't include. */
export function notInAll(): string[] {
  const include = join(root, 'cpp/include/steptree');
  const all = readFileSync(join(include, 'all.hpp'), 'utf8');
  return readdirSync(include)
    .filter(
      (name) =>
        /\.hpp$/.test(name) &&
        !/^(?:all|asio\w+|chandles|cvalue|inspector|job|jobqueue|plugin|pluginhost|pooloptions|redis\w*|server|threadpool|worker)\./.test(
          name,
        ),
    )
    .filter((name) => !all.includes(`#include "steptree/${name}"\n`));
}

const flags = [
  '-std=c++20',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-DASIO_STANDALONE',
  `-I${root}cpp/include`,
];
const libraries = ['inspector', 'pool', 'redis', ''].map((name) =>
  join(root, `build/dev/cpp/libsteptree${name && '-'}${name}.a`),
);
let prepared: Promise<string> | undefined;

/** What the compiler says to a program that it doesn't make. */
export async function checkCpp(name: string, text: string): Promise<string> {
  const folder = await (prepared ??= prepareCpp());
  const file = join(folder, `${name}.cpp`);
  writeFileSync(file, text);
  const own = [
    '-fsyntax-only',
    '-Wno-unused',
    '-Wno-unused-parameter',
    '-include',
    join(folder, 'frame.hpp'),
    file,
  ];
  const { stderr } = await run('g++', [...flags, ...own]).catch((failed) => failed);
  return stderr;
}

/** Builds against what the preset dev has made, and runs. */
export async function runCpp(page: string): Promise<string> {
  const folder = await (prepared ??= prepareCpp());
  const stem = join(folder, stemOf(page));
  writeFileSync(`${stem}.cpp`, cppProgram(snippets(page, 'cpp'), `docs/${page}`));
  const own = ['-include', join(folder, 'frame.hpp'), `${stem}.cpp`, '-o', stem];
  await run('g++', [...flags, ...own, ...libraries, '-lhiredis', '-lpthread']);
  const usesRedis = snippets(page, 'cpp').some(({ code }) => code.includes('RedisConnection'));
  return withRedis(usesRedis, async (server) => {
    const own = { REDIS_PORT: server && String(server.port) };
    return (await run(stem, { env: { ...process.env, ...own } })).stdout;
  });
}

/** A page that uses Redis has a server of its own. */
async function withRedis<T>(
  usesRedis: boolean,
  use: (server: RedisServer | undefined) => Promise<T>,
): Promise<T> {
  const server = usesRedis ? await startRedis() : undefined;
  try {
    return await use(server);
  } finally {
    await server?.stop();
  }
}
