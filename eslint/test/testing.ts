/** Runs the cases of a rule on the oldest ESLint that the plugin knows, and on the newest. */
import * as parser from '@typescript-eslint/parser';
import { RuleTester } from 'eslint';
import { RuleTester as RuleTester9 } from 'eslint9';
import plugin from '../src/index.js';

export interface Wrong {
  readonly code: string;
  /** The messages that are told, in the order of the file. */
  readonly says: readonly string[];
  /** What `--fix` makes of it. */
  readonly fixed?: string;
  /** What an editor offers for each message. */
  readonly offers?: readonly (readonly [messageId: string, output: string] | undefined)[];
}

export interface Cases {
  /** By the sentence that they show. */
  readonly right: Readonly<Record<string, string>>;
  readonly wrong: Readonly<Record<string, Wrong>>;
}

const testers = [
  ['9', RuleTester9 as unknown as typeof RuleTester],
  ['10', RuleTester],
] as const;

/** What isn't said to be imported in another way is imported. TypeScript says so in its first line: `// ts`. */
export function tested(name: string, cases: Cases): void {
  const rule = plugin.rules![name]!;
  for (const [version, Tester] of testers) {
    describe(`${name}, ESLint ${version}`, () => {
      const tester = new Tester({
        languageOptions: { ecmaVersion: 'latest', sourceType: 'module' },
      });
      tester.run(name, rule as never, {
        valid: Object.entries(cases.right).map(([name, code]) => ({ name, ...program(code) })),
        invalid: Object.entries(cases.wrong).map(([name, { code, says, fixed, offers }]) => ({
          name,
          ...program(code),
          output: fixed === undefined ? null : program(fixed).code,
          errors: says.map((messageId, i) => {
            const offer = offers?.[i];
            const suggestions = offer && [{ messageId: offer[0], output: program(offer[1]).code }];
            return { messageId, ...(suggestions ? { suggestions } : {}) };
          }),
        })),
      });
    });
  }
}

const names =
  'all, any, AsyncSteps, delay, forEach, loop, map, parallel, race, repeat, retry, run, Scope, step, steps, sync';

function program(code: string) {
  const isWhole = code.includes("'steptree'");
  const text = isWhole ? code : `import { ${names} } from 'steptree';\n${code}`;
  return code.startsWith('// ts') ? { code: text, languageOptions: { parser } } : { code: text };
}
