/**
 * Records where everything in the C header stands, as a test in C. [abi-3]
 *
 *   node --import tsx tools/layout.ts           writes it; refuses what needs another major number
 *   node --import tsx tools/layout.ts --check   says whether it is up to date
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Member {
  readonly struct: string;
  readonly name: string;
  readonly declaration: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const header = join(root, 'cpp/include/steptree/steptree.h');
const target = join(root, 'cpp/cabi/test/layout.c');

/** The members of all structs, in their order. */
export function membersOf(text: string): Member[] {
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/^#.*$/gm, ' ');
  return [...plain.matchAll(/\bstruct (\w+) \{([\s\S]*?)\n\}/g)].flatMap(([, struct, body]) =>
    statementsOf(body!).flatMap((declaration) =>
      namesOf(declaration).map((name) => ({ struct: struct!, name, declaration })),
    ),
  );
}

/** What ends with a semicolon that is in no braces. */
function statementsOf(body: string): string[] {
  const statements: string[] = [];
  let depth = 0;
  let statement = '';
  for (const character of body) {
    if (character === '{') depth++;
    if (character === '}') depth--;
    if (character !== ';' || depth > 0) {
      statement += character;
      continue;
    }
    statements.push(statement.replace(/\s+/g, ' ').trim());
    statement = '';
  }
  return statements;
}

/** Of a function, a union, or of members that share a type. */
function namesOf(declaration: string): string[] {
  const called = /\(\*(\w+)\)/.exec(declaration);
  if (called !== null) return [called[1]!];
  const last = declaration.slice(declaration.lastIndexOf('}') + 1);
  return last.split(',').map((part) => /(\w+)$/.exec(part.trim())![1]!);
}

const grows = (members: readonly Member[], struct: string) =>
  members.some(
    (member) =>
      member.struct === struct && member.name === 'size' && /^uint32_t/.test(member.declaration),
  );

/** The numbers that the compiler gives them. */
function measured(members: readonly Member[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'layout-'));
  const structs = [...new Set(members.map(({ struct }) => struct))];
  const lines = structs.flatMap((struct) => [
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
    `#include <stdio.h>\n#include "${header}"\n#define P printf\nint main(void) {\n${lines.join('\n')}\nreturn 0;\n}\n`,
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
    '',
    'static void is_recorded(void) {',
    '    if (sizeof(void*) != 8) return;',
    ...measured(membersOf(text)),
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
    text.split('\n').filter((line) => /^ {4}(?:AT|CHECK)\(/.test(line));
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
