/** docs/what-became-what.md: what it tells users to write compiles, in both languages. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/what-became-what.md'), 'utf8');

/** The code spans of a column, in all tables that have it. */
function spans(column: string): string[] {
  const tables = page.split('\n\n').filter((block) => block.startsWith('|'));
  return tables.flatMap((table) => {
    const [head = [], , ...rows] = table.split('\n').map((row) => row.split('|'));
    const at = head.findIndex((cell) => cell.trim() === column);
    return rows.flatMap((row) =>
      [...(row[at] ?? '').matchAll(/`([^`]+)`/g)].map(([, code]) => code!),
    );
  });
}

function inFolder(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'became-'));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('docs/what-became-what.md', function () {
  this.timeout(120_000);

  it('tells lines of JavaScript that the compiler takes', () => {
    const lines = spans('now, JS');
    expect(lines.length).to.be.above(12);
    const program = `
      import { any, Channel, delay, Limiter, local, map, Mutex, race, retry, run, shield, step, Throttle } from '${join(root, 'js/src/index.js')}';
      import type { IAsyncSteps } from '${join(root, 'js/src/index.js')}';
      interface User { id: string }
      declare const body: () => 1, a: () => 1, b: () => 1;
      declare const each: (asi: IAsyncSteps, item: number, index: number) => number;
      declare const onerror: (asi: IAsyncSteps, code: string) => void;
      declare const log: (text: string) => void;
      declare const sink: (value: number, index: number) => void;
      declare const list: (() => 1)[];
      declare const mutex: Mutex, user: User, items: number[], name: string;
      ${lines.map((line, i) => `export function line${i}(asi: IAsyncSteps) { ${line}; }`).join('\n')}
    `;
    inFolder((folder) => {
      writeFileSync(join(folder, 'page.mts'), program);
      const compilerOptions = {
        typeRoots: [join(root, 'node_modules/@types')],
        types: ['node'],
        noUnusedLocals: false,
        noUnusedParameters: false,
      };
      const config = {
        extends: join(root, 'tsconfig.json'),
        compilerOptions,
        files: ['page.mts'],
        include: [],
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit'];
      const { status, stdout } = spawnSync(process.execPath, tsc, {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(status, stdout).to.equal(0);
    });
  });

  it('tells lines of C++ that the compiler takes', () => {
    const lines = spans('now, C++');
    expect(lines.length).to.be.above(12);
    const kinds = 'channel delay limiter local map mutex parallel retry run shield throttle'.split(
      ' ',
    );
    const program = `
      ${kinds.map((kind) => `#include "steptree/${kind}.hpp"`).join('\n')}
      using namespace steptree;
      const auto body = [](IAsyncSteps&) {};
      const auto a = [](IAsyncSteps&) { return 1; };
      const auto b = a;
      const auto each = [](IAsyncSteps&, const int& item) { return item; };
      const auto onerror = [](IAsyncSteps&, const std::string&) {};
      const auto sink = [](int, std::size_t) {};
      const char* const name = "name";
      const std::vector<int> items;
      const std::vector<Step<AnyValues, AnyValues>> list;
      const auto kUser = local<std::string>("user");
      const std::string user;
      void log(OutcomeKind);
      ${lines.map((line, i) => `void line${i}(IAsyncSteps& asi, Mutex& mutex, Tool& tool) { (void)asi, (void)mutex, (void)tool; ${line}; }`).join('\n')}
    `;
    inFolder((folder) => {
      const file = join(folder, 'page.cpp');
      writeFileSync(file, program);
      const args = ['-std=c++20', '-fsyntax-only', `-I${join(root, 'cpp/include')}`, file];
      execFileSync(process.env['CXX'] ?? 'c++', args, { encoding: 'utf8' });
    });
  });
});
