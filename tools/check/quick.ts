/** What `npm test` consists of: what a change must pass, in minutes. */
import { check, conformance, ctest, mocha } from './counts.js';
import { addon, cmake, cppFiles, fuzz, large, type Part, rust, slowTools, suite } from './part.js';

export const quick: readonly Part[] = [
  {
    name: 'C++ build and unit tests',
    folder: 'dev',
    commands: [[`${cmake('dev')} && ctest --preset dev -V`, ctest]],
  },
  {
    name: 'generated code',
    folder: 'dist',
    commands: [
      ['npm run -s codes -- --check', check],
      ['npm run -s layout -- --check', check],
    ],
  },
  {
    name: 'format',
    folder: 'dist',
    commands: [
      ['prettier --log-level warn --check .', check],
      [`${cppFiles} | xargs clang-format --dry-run -Werror`, check],
    ],
  },
  {
    name: 'lint',
    folder: 'dist',
    commands: [
      ['biome lint --error-on-warnings', check],
      ['node --import tsx tools/lint.ts', check],
      ['node --import tsx tools/layers.ts', check],
    ],
  },
  {
    name: 'types',
    folder: 'dist',
    commands: [
      ['tsc -p tsconfig.json', check],
      ['tsc -p js/tsconfig.build.json --noEmit', check],
      ['tsc -p inspector/tsconfig.json', check],
      ['tsc -p native/tsconfig.json', check],
    ],
  },
  { name: 'rules', folder: 'dist', commands: [['npm run -s rules', check]] },
  {
    name: 'tools',
    folder: 'dist',
    commands: [
      [`mocha 'conformance/test/*.test.ts' 'tools/test/*.test.ts' --ignore '${slowTools}'`, mocha],
    ],
  },
  {
    name: 'JS unit tests',
    folder: 'dist',
    commands: [[`mocha 'js/test/**/*.test.ts' --grep ${large} --invert`, mocha]],
  },
  {
    name: 'Redis',
    needs: 'redis-server',
    commands: [
      [
        `mocha 'js/redis/!(mutexlost|calllost|callchaos|guardreplicas|guardchaos).test.ts' --grep ${large} --invert`,
        mocha,
      ],
    ],
  },
  {
    name: 'guide',
    folder: 'dist',
    commands: [
      ["mocha tools/guide/ts.test.ts tools/guide/hovers.test.ts 'tools/pictures/*.test.ts'", mocha],
    ],
  },
  { name: 'ESLint plugin', folder: 'dist', commands: [["mocha 'eslint/test/*.test.ts'", mocha]] },
  { ...rust, needs: 'cargo' },
  {
    name: 'npm package',
    folder: 'dist',
    commands: [['mocha tools/package/package.test.ts', mocha]],
  },
  { name: 'Python', commands: [['tools/python', check]] },
  {
    name: 'Node addon',
    folder: 'dev',
    commands: [[`${addon} && mocha 'native/test/@(events|native|service*|types).test.ts'`, mocha]],
  },
  { name: 'conformance', folder: 'dev', commands: [[suite, conformance]] },
  { name: 'random programs', folder: 'dev', commands: [[`${fuzz} --programs 1000`, check]] },
];
