/**
 * Records all that the C header promises, as a test in C: where members stand, numbers, types of functions, macros. [abi-3]
 *
 *   node --import tsx tools/layout.ts           writes it; refuses what needs another major number
 *   node --import tsx tools/layout.ts --check   says whether it is up to date
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  callbacksOf,
  functionsOf,
  macrosOf,
  type Member,
  membersOf,
  numbersOf,
} from './layout/header.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const header = join(root, 'cpp/include/steptree/steptree.h');
const target = join(root, 'cpp/cabi/test/layout.c');

const grows = (members: readonly Member[], struct: string) =>
  members.some(
    (member) =>
      member.struct === struct && member.name === 'size' && /^uint32_t/.test(member.declaration),
  );

/** The numbers that the compiler gives them. */
function measured(text: string): string[] {
  const members = membersOf(text);
  const folder = mkdtempSync(join(tmpdir(), 'layout-'));
  const structs = [...new Set(members.map(({ struct }) => struct))];
  const numbers = numbersOf(text).map(
    (name) => `P("    CHECK(${name} == %ld);\\n", (long)${name});`,
  );
  const places = structs.flatMap((struct) => [
    ...(grows(members, struct)
      ? []
      : [`P("    CHECK(sizeof(${struct}) == %zu);\\n", sizeof(struct ${struct}));`]),
    ...members
      .filter((member) => member.struct === struct)
      .map(
        ({ name, declaration }) =>
          `P("    AT(${struct}, ${name}, %zu, %zu); /* ${declaration} */\\n", offsetof(struct ${struct}, ${name}), sizeof(((struct ${struct}*)0)->${name}));`,
      ),
  ]);
  const source = join(folder, 'layout.c');
  const program = join(folder, 'layout');
  writeFileSync(
    source,
    `#include <stdio.h>\n#include "${header}"\n#define P printf\nint main(void) {\n${[...places, ...numbers].join('\n')}\nreturn 0;\n}\n`,
  );
  execFileSync('cc', ['-std=c99', source, '-o', program]);
  const output = execFileSync(program, { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return output.trimEnd().split('\n');
}

function majorIn(text: string): number {
  return Number(/STEPTREE_ABI UINT32_C\((0x[0-9a-f]+)\)/.exec(text)![1]) >>> 16;
}

function generate(): string {
  const text = readFileSync(header, 'utf8');
  return [
    '/* Generated from steptree/steptree.h by `npm run layout`; do not edit. */',
    '#include "check.h"',
    '',
    '/* clang-format off */',
    `/* Major number ${majorIn(text)}; where pointers have 64 bits. */`,
    '#define AT(type, member, place, bytes) \\',
    '    CHECK(offsetof(type, member) == (place) && sizeof(((type*)0)->member) == (bytes))',
    '/* Compared, other types are an error of the compiler. */',
    '#define SAME(type, ...) CHECK(sizeof((type)0 == (__VA_ARGS__)0) != 0)',
    '',
    'static void is_recorded(void) {',
    '    if (sizeof(void*) != 8) return;',
    ...measured(text),
    ...callbacksOf(text).map(([name, type]) => `    SAME(${name}, ${type});`),
    ...functionsOf(text).map((declaration) => `    /* function: ${declaration} */`),
    ...macrosOf(text).map((macro) => `    /* macro: ${macro} */`),
    '}',
    '',
    'void test_layout(void) {',
    '    TEST("the layout of the header is the one that is recorded", is_recorded);',
    '}',
    '',
  ].join('\n');
}

/** What was recorded and isn't so any more, though the major number is the same. */
export function broken(before: string, now: string): string[] {
  const lines = (text: string) =>
    text
      .split('\n')
      .filter((line) => /^ {4}(?:(?:AT|CHECK|SAME)\(|\/\* (?:function|macro): )/.test(line));
  const head = (text: string) => /Major number \d+/.exec(text)?.[0];
  if (head(before) !== head(now)) return [];
  const kept = new Set(lines(now));
  return lines(before).filter((line) => !kept.has(line));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const before = existsSync(target) ? readFileSync(target, 'utf8') : '';
  const now = generate();
  const lost = broken(before, now);
  for (const line of lost) console.log(`another layout needs another major number: ${line.trim()}`);
  if (process.argv.includes('--check')) {
    if (before !== now) console.log('cpp/cabi/test/layout.c is not up to date: npm run layout');
    process.exitCode = before === now ? 0 : 1;
  } else if (lost.length > 0) {
    process.exitCode = 1;
  } else {
    writeFileSync(target, now);
  }
}
