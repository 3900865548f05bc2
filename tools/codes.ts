/**
 * Writes the constants of both languages from spec/errors.json.
 *
 *   node --import tsx tools/codes.ts           writes them
 *   node --import tsx tools/codes.ts --check   says which of them are not up to date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Entry {
  readonly code: string;
  readonly name: string;
  readonly meaning: string;
  /** Another attempt can't mend it. [flow-49] */
  readonly final?: boolean;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const from = 'Generated from spec/errors.json by `npm run codes`; do not edit.';
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

const generators: Readonly<Record<string, (entries: readonly Entry[]) => string>> = {
  'js/src/codes.ts': (entries) =>
    [
      `// ${from}`,
      '',
      '/** The codes that the runtime itself raises. */',
      'export const errors = {',
      ...entries.flatMap(({ code, name, meaning }) => [...jsDoc(meaning), `  ${name}: '${code}',`]),
      '} as const;',
      '',
      "/** After these nothing is tried again by default: another attempt can't mend them. [flow-49] */",
      'export const finals: readonly string[] = [',
      ...finalsOf(entries).map((name) => `  '${name}',`),
      '];',
      '',
    ].join('\n'),
  'cpp/include/steptree/codes.hpp': (entries) =>
    [
      `// ${from}`,
      '#pragma once',
      '',
      '#include <string_view>',
      '',
      '/// The codes that the runtime itself raises.',
      'namespace steptree::errors {',
      '',
      ...entries.flatMap(({ code, name, meaning }) => [
        ...wrap(meaning, 94).map((line) => `/// ${line}`),
        `inline constexpr std::string_view ${name} = "${code}";`,
      ]),
      '',
      '}  // namespace steptree::errors',
      '',
      'namespace steptree::detail {',
      '',
      "/// Another attempt can't mend it: by default nothing is tried again. [flow-49]",
      'constexpr bool isFinal(std::string_view code) noexcept {',
      ...finalsOf(entries).map((name) => `    if (code == errors::${name}) return true;`),
      '    return false;',
      '}',
      '',
      '}  // namespace steptree::detail',
      '',
    ].join('\n'),
};

function finalsOf(entries: readonly Entry[]): string[] {
  return entries.filter(({ final }) => final).map(({ name }) => name);
}

function jsDoc(meaning: string): string[] {
  if (meaning.length <= 90) return [`  /** ${meaning} */`];
  return ['  /**', ...wrap(meaning, 94).map((line) => `   * ${line}`), '   */'];
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function readEntries(): Entry[] {
  const entries = JSON.parse(readFileSync(`${root}spec/errors.json`, 'utf8')) as Entry[];
  for (const { code, name } of entries) {
    if (!identifier.test(code) || !identifier.test(name)) {
      throw new Error(`spec/errors.json: '${code}' / '${name}' is no identifier`);
    }
  }
  return entries;
}

const entries = readEntries();
for (const [file, generate] of Object.entries(generators)) {
  const text = generate(entries);
  if (!process.argv.includes('--check')) writeFileSync(root + file, text);
  else if (readFileSync(root + file, 'utf8') !== text) {
    console.error(`${file} is not what spec/errors.json says: npm run codes`);
    process.exitCode = 1;
  }
}
