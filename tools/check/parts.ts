/** What `npm test` consists of, in this order. */
import { type Counter, check, conformance, ctest, mocha } from './counts.js';

export interface Part {
  readonly name: string;
  /** Each is run, also if one before it has failed. */
  readonly commands: readonly (readonly [command: string, counter: Counter])[];
  /** Left to `npm run check:all`. */
  readonly slow?: true;
}

const jobs = 2;
const cppFiles = `git ls-files -co --exclude-standard '*.cpp' '*.hpp' '*.ipp'`;
const cmake = (preset: string, ...targets: readonly string[]) =>
  `cmake --preset ${preset} && cmake --build --preset ${preset} -j ${jobs}` +
  targets.map((target) => ` --target ${target}`).join('');
const suite = 'node --import tsx conformance/run.ts';
/** Takes each case through failures of all its allocations. */
const failing = (preset: string) => {
  const faults = `build/${preset}/cpp/steptree-faults`;
  return `--limit 30000 --cpp ${faults} --nitro '${faults} nitro'`;
};
const respServer = (preset: string) =>
  `RESP_CPP=$PWD/build/${preset}/cpp/examples/resp/resp-server`;
const benches = 'build/counts/bench/cpp/bench-steptree';
const jsBench = (subject: string) => `node --expose-gc build/bench-js/main.js ${subject} --verify`;
const newestNode = '"$(node --import tsx tools/newestnode.ts)"';
const contextsOn = (line: number): Part['commands'][number] => [
  `"$(node --import tsx tools/newestnode.ts ${line})" node_modules/mocha/bin/mocha.js js/test/context*.test.ts js/test/requests.test.ts`,
  mocha,
];

export const parts: readonly Part[] = [
  { name: 'generated code', commands: [['npm run -s codes -- --check', check]] },
  {
    name: 'format',
    commands: [
      ['prettier --log-level warn --check .', check],
      [`${cppFiles} | xargs clang-format --dry-run -Werror`, check],
    ],
  },
  {
    name: 'lint',
    commands: [
      ['biome lint --error-on-warnings', check],
      ['node --import tsx tools/lint.ts', check],
      ['node --import tsx tools/layers.ts', check],
    ],
  },
  {
    name: 'types',
    commands: [
      ['tsc -p tsconfig.json', check],
      ['tsc -p js/tsconfig.build.json --noEmit', check],
    ],
  },
  {
    name: 'tools',
    commands: [["mocha 'conformance/test/*.test.ts' 'tools/test/*.test.ts'", mocha]],
  },
  { name: 'js unit tests', commands: [["mocha 'js/test/**/*.test.ts'", mocha]] },
  {
    name: 'cpp build and unit tests',
    commands: [[`${cmake('dev')} && ctest --preset dev`, ctest]],
  },
  { name: 'conformance', commands: [[suite, conformance]] },
  {
    name: 'random programs',
    commands: [['node --import tsx conformance/fuzz/run.ts --programs 5000', check]],
  },
  {
    name: 'fuzzing of the C++ engine',
    commands: [['node --import tsx tools/fuzz.ts --minutes 0.33', check]],
  },
  { name: 'orders', commands: [['node --import tsx conformance/orders.ts', conformance]] },
  {
    name: 'failing allocations',
    commands: [
      [
        `${cmake('dev', 'steptree-faults')} && STEPTREE_MEMPOOL=off ${suite} --run cpp ${failing('dev')}`,
        conformance,
      ],
      [`${suite} --run cpp ${failing('dev')}`, conformance],
      [`${suite} --run nitro ${failing('dev')}`, conformance],
    ],
  },
  { name: 'rules', commands: [['npm run -s rules', check]] },
  {
    name: 'resp example',
    commands: [
      [
        `${cmake('dev', 'resp-server')} && ${respServer('dev')} mocha 'tools/resp/*.test.ts'`,
        mocha,
      ],
    ],
  },
  {
    name: 'cpp benches',
    commands: [
      [`${cmake('counts', 'bench-steptree', 'bench-nitro')} && ${benches} --verify`, check],
      ['build/counts/bench/cpp/bench-nitro --verify', check],
      [`npm run -s counts -- --program ${benches}`, check],
    ],
  },
  {
    name: 'benches',
    commands: [
      ["mocha 'bench/test/*.test.ts'", mocha],
      [`npm run -s build && tsc -p bench/tsconfig.own.json && ${jsBench('steptree')}`, check],
      [jsBench('async-await'), check],
      ['npm run -s bench:ratios', check],
    ],
  },
  { name: 'npm package', commands: [["mocha 'tools/package/*.test.ts'", mocha]] },
  { name: 'clang front end', commands: [[cmake('dev', 'clang-headers'), check]] },
  {
    name: 'address and undefined behaviour sanitizers',
    commands: [
      [`${cmake('asan')} && ctest --preset asan -V`, ctest],
      [`${suite} --run cpp --limit 20000 --cpp build/asan/cpp/steptree-conformance`, conformance],
      [
        `${suite} --run nitro --limit 20000 --nitro 'build/asan/cpp/steptree-conformance --flow nitro'`,
        conformance,
      ],
      // Pooled memory hides what is used after it was given back.
      [
        `STEPTREE_MEMPOOL=off ${suite} --run cpp --limit 20000 --cpp build/asan/cpp/steptree-conformance`,
        conformance,
      ],
      [`STEPTREE_MEMPOOL=off ${suite} --only sync --run cpp ${failing('asan')}`, conformance],
      [
        `${cmake('asan', 'resp-server')} && ${respServer('asan')} mocha tools/resp/cpp.test.ts`,
        mocha,
      ],
    ],
  },
  {
    name: 'thread sanitizer',
    commands: [
      [`${cmake('tsan', 'steptree-tests', 'asio-echo', 'hash')} && ctest --preset tsan -V`, ctest],
    ],
  },
  {
    name: 'js unit tests on the newest Node',
    commands: [[`${newestNode} node_modules/mocha/bin/mocha.js 'js/test/**/*.test.ts'`, mocha]],
  },
  { name: 'contexts on Node 22 and 24', commands: [contextsOn(22), contextsOn(24)] },
  {
    name: 'failing allocations with sanitizers',
    slow: true,
    commands: [
      [
        `${cmake('asan', 'steptree-faults')} && STEPTREE_MEMPOOL=off ${suite} --run cpp ${failing('asan')}`,
        conformance,
      ],
      [`${suite} --run nitro ${failing('asan')}`, conformance],
    ],
  },
  {
    name: 'clang build and tests',
    slow: true,
    commands: [
      [
        `cmake -S . -B build/clang -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++ -DSTEPTREE_BUILD_BENCH=ON &&
         cmake --build build/clang -j ${jobs} && ctest --test-dir build/clang --output-on-failure`,
        ctest,
      ],
      [`${suite} --run cpp --cpp build/clang/cpp/steptree-conformance`, conformance],
    ],
  },
  {
    name: 'clang-tidy',
    slow: true,
    commands: [
      [
        `cmake -S . -B build/clang -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DSTEPTREE_BUILD_BENCH=ON &&
         ${cppFiles} | grep '\\.cpp$' | grep -v '^bench/cpp/peers/' | xargs -P ${jobs} -n 1 clang-tidy --quiet -p build/clang`,
        check,
      ],
    ],
  },
];
