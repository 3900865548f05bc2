/** What `npm run test:deep` consists of: all that `npm test` leaves out. What takes longest stands first, as two parts run at a time. */
import { check, conformance, ctest, implementations, mocha, pytest } from './counts.js';
import {
  addon,
  build,
  type Command,
  cmake,
  cppFiles,
  fuzz,
  large,
  type Part,
  rust,
  slowTools,
  suite,
} from './part.js';

/** Sanitized programs are slow, on a busy machine more so. */
const patient = `${suite} --limit 120000`;
/** Takes each case through failures of all its allocations. */
const failing = (preset: string) => {
  const faults = `build/${preset}/cpp/steptree-faults`;
  return `${patient} --cpp ${faults} --nitro '${faults} nitro'`;
};
const unpooled = 'STEPTREE_MEMPOOL=off';
const asan = 'build/asan/cpp/steptree-conformance';
const cAsan = 'build/asan/cpp/steptree-c-conformance';
const slow = 'build/dev/cpp/steptree-slow-conformance';
const respServer = (preset: string) =>
  `RESP_CPP=$PWD/build/${preset}/cpp/examples/resp/resp-server`;
/** Of three servers, which need all languages. */
const respPlugins = 'tools/resp/plugins.test.ts';
const benches = 'build/counts/bench/cpp/bench-steptree';
const jsBench = (subject: string) => `node --expose-gc build/bench-js/main.js ${subject} --verify`;
const mochaOn = (line: string, tests: string): Command => [
  `"$(node --import tsx tools/newestnode.ts ${line})" node_modules/mocha/bin/mocha.js ${tests}`,
  mocha,
];
const clang =
  'cmake -S . -B build/clang -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++' +
  ' -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DSTEPTREE_BUILD_BENCH=ON -DSTEPTREE_WARNINGS_AS_ERRORS=ON';

export const deep: readonly Part[] = [
  {
    name: 'address and undefined behaviour sanitizers',
    folder: 'asan',
    commands: [
      [`${cmake('asan')} && ctest --preset asan -V`, ctest],
      [`${patient} --run cpp --cpp ${asan}`, conformance],
      [`${patient} --run nitro --nitro '${asan} --flow nitro'`, conformance],
      [`${patient} --run defined-cpp --defined-cpp '${asan} --defined'`, conformance],
      // Pooled memory hides what is used after it was given back.
      [`${unpooled} ${patient} --run cpp --cpp ${asan}`, conformance],
      [`${unpooled} ${patient} --run c --c ${cAsan}`, conformance],
      [`${respServer('asan')} mocha tools/resp/cpp.test.ts`, mocha],
    ],
  },
  {
    name: 'thread sanitizer',
    folder: 'tsan',
    commands: [
      [`${cmake('tsan', 'steptree-tests', 'asio-echo', 'hash')} && ctest --preset tsan -V`, ctest],
    ],
  },
  {
    name: 'without fast paths',
    folder: 'dev',
    commands: [
      [`${cmake('dev')} && ctest --preset slow -V`, ctest],
      [`${suite} --run cpp --cpp ${slow}`, conformance],
      [`${suite} --run nitro --nitro '${slow} --flow nitro'`, conformance],
      [`${fuzz} --programs 5000 --run cpp --cpp ${slow}`, check],
    ],
  },
  {
    name: 'failing allocations',
    folder: 'dev',
    commands: [
      [
        `${cmake('dev', 'steptree-faults')} && ${unpooled} ${failing('dev')} --run cpp`,
        conformance,
      ],
      [`${failing('dev')} --run cpp`, conformance],
      [`${failing('dev')} --run nitro`, conformance],
    ],
  },
  {
    name: 'failing allocations with sanitizers',
    folder: 'asan',
    slow: true,
    commands: [
      [
        `${cmake('asan', 'steptree-faults')} && ${unpooled} ${failing('asan')} --run cpp`,
        conformance,
      ],
      [`${failing('asan')} --run nitro`, conformance],
    ],
  },
  {
    name: 'large flows',
    folder: 'dist',
    commands: [[`mocha 'js/test/**/*.test.ts' --grep ${large}`, mocha]],
  },
  {
    name: 'Redis under load',
    alone: true,
    needs: 'redis-server',
    commands: [
      [`mocha 'js/redis/*.test.ts' --grep ${large}`, mocha],
      [`mocha 'js/redis/@(mutexlost|calllost|callchaos|guardreplicas|guardchaos).test.ts'`, mocha],
    ],
  },
  {
    name: 'Redis in both languages',
    folder: 'dev',
    needs: 'redis-server',
    commands: [
      [
        `${cmake('dev', 'jobs-worker', 'steptree-redis-guards', 'calls-peer')} && mocha 'tools/redis/*.test.ts'`,
        mocha,
      ],
    ],
  },
  { name: 'tools that fuzz', folder: 'dist', commands: [[`mocha '${slowTools}'`, mocha]] },
  { name: 'many random programs', folder: 'dev', commands: [[`${fuzz} --programs 20000`, check]] },
  {
    name: 'fuzzing of the C++ engine',
    folder: 'fuzz',
    commands: [['node --import tsx tools/fuzz.ts --minutes 1', check]],
  },
  {
    name: 'orders',
    folder: 'dev',
    commands: [['node --import tsx conformance/orders.ts', conformance]],
  },
  {
    name: 'observed',
    folder: 'dev',
    commands: [
      [
        'node --import tsx conformance/observed.ts --run js --run cpp --run nitro --run defined --run defined-cpp --run c',
        implementations,
      ],
    ],
  },
  {
    name: 'headers and clang front end',
    folder: 'dev',
    commands: [[cmake('dev', 'steptree-headers', 'clang-headers'), check]],
  },
  { name: 'query for clang', folder: 'dev', commands: [['sh cpp/test/queried/run.sh', check]] },
  {
    name: 'guide in C++',
    folder: 'dev',
    commands: [
      [
        `${cmake('dev', 'steptree', 'steptree-pool', 'steptree-inspector', 'steptree-redis')} && mocha tools/guide/cpp.test.ts`,
        mocha,
      ],
    ],
  },
  {
    name: 'C++ programs of users',
    folder: 'dev',
    commands: [
      [`${cmake('dev')} && ctest --preset deep`, ctest],
      ['npm run -s symbols -- --check', check],
    ],
  },
  {
    name: 'packages of Debian, port of vcpkg',
    folder: 'dev',
    needs: 'mmdebstrap',
    commands: [
      [`${cmake('dev')} && cmake --preset dev -DCMAKE_INSTALL_PREFIX=/usr`, check],
      ['cpp/test/debian/run.sh build/dev', check],
      ['mocha packaging/vcpkg/port.test.ts', mocha],
    ],
  },
  {
    name: 'package of Conan',
    folder: 'conan',
    commands: [[`packaging/conan/run.sh -c 'tools.build:cxxflags=["-O0","-g0"]'`, check]],
  },
  {
    name: 'resp example',
    folder: 'dev',
    commands: [
      [
        `${cmake('dev', 'resp-server')} && ${respServer('dev')} mocha 'tools/resp/*.test.ts' --ignore ${respPlugins}`,
        mocha,
      ],
    ],
  },
  {
    name: 'service example',
    folder: 'dev',
    commands: [[`${cmake('dev', 'service')} && mocha tools/service/service.test.ts`, mocha]],
  },
  rust,
  { name: 'flows in gdb', alone: true, commands: [['mocha tools/gdb/gdb.test.ts', mocha]] },
  {
    name: 'Python package',
    folder: 'python',
    commands: [
      ['tools/setup python && tools/python wheel', check],
      ['build/python/fresh/bin/pytest python/test', pytest],
      [
        'tools/pyright/node_modules/.bin/pyright -p python --pythonpath build/python/fresh/bin/python',
        check,
      ],
      [`${suite} --run python`, conformance],
      ['mocha tools/service/python.test.ts', mocha],
    ],
  },
  {
    // Behind the others: it uses what they build.
    name: 'resp example with plug-ins',
    alone: true,
    commands: [
      [`${cmake('dev', 'resp-server', 'resp-plugins')} && ${addon} && tools/setup all`, check],
      ['tools/python wheel', check],
      [
        `RESP_PLUGINS=$PWD/build/dev/cpp/examples/resp/plugins ${respServer('dev')} mocha ${respPlugins}`,
        mocha,
      ],
    ],
  },
  { name: 'npm start', alone: true, commands: [["mocha 'tools/start/*.test.ts'", mocha]] },
  { name: 'soak', alone: true, commands: [['npm run -s soak -- --minutes 0.5', check]] },
  {
    name: 'pages in a browser',
    alone: true,
    commands: [
      [
        `${cmake('dev', 'steptree', 'steptree-inspector')} && npm run -s build && mocha 'tools/browser/*.test.ts'`,
        mocha,
      ],
    ],
  },
  {
    name: 'site',
    folder: 'site',
    commands: [
      ['tsc -p site/tsconfig.json', check],
      ["npm run -s site && mocha 'site/test/*.test.ts'", mocha],
    ],
  },
  {
    name: 'random programs in JavaScript and C',
    commands: [[`${fuzz} --programs 3000 --run native`, check]],
  },
  {
    name: 'Node addon by the million, in threads and processes, installed',
    folder: 'dist',
    commands: [
      [`${addon} && mocha 'native/test/@(cost|lifetimes|package).test.ts'`, mocha],
      ['STEPTREE_CALLS=200000 mocha native/test/many.test.ts', mocha],
    ],
  },
  {
    name: 'npm package everywhere',
    folder: 'dist',
    commands: [['mocha tools/package/everywhere.test.ts', mocha]],
  },
  {
    name: 'API reports and workflows',
    folder: 'dist',
    commands: [["mocha 'tools/package/@(abi|api|workflows).test.ts'", mocha]],
  },
  {
    name: 'JS unit tests on the newest Node',
    folder: 'dist',
    commands: [mochaOn('', "'js/test/**/*.test.ts'")],
  },
  {
    name: 'ESLint plugin on the newest Node',
    folder: 'dist',
    commands: [mochaOn('', "'eslint/test/*.test.ts'")],
  },
  {
    name: 'contexts on Node 22 and 24',
    folder: 'dist',
    commands: ['22', '24'].map((line) =>
      mochaOn(line, 'js/test/context*.test.ts js/test/requests.test.ts'),
    ),
  },
  {
    name: 'C++ benches',
    folder: 'counts',
    commands: [
      [`${cmake('counts', 'bench-steptree', 'bench-nitro')} && ${benches} --verify`, check],
      ['build/counts/bench/cpp/bench-nitro --verify', check],
      [`npm run -s counts -- --program ${benches}`, check],
    ],
  },
  {
    name: 'JS benches',
    alone: true,
    commands: [
      ["mocha 'bench/test/*.test.ts'", mocha],
      [`npm run -s build && tsc -p bench/tsconfig.own.json && ${jsBench('steptree')}`, check],
      [jsBench('async-await'), check],
      ['npm run -s bench:ratios', check],
      ['npm run -s bench:redis -- --check', check],
    ],
  },
  {
    name: 'clang build and tests',
    folder: 'clang',
    slow: true,
    commands: [
      [
        `${clang} && ${build('build/clang')} && ctest --test-dir build/clang -LE 'deep|slow' --output-on-failure -V`,
        ctest,
      ],
      [`${suite} --run cpp --cpp build/clang/cpp/steptree-conformance`, conformance],
    ],
  },
  {
    name: 'compiled for Windows',
    folder: 'windows',
    slow: true,
    needs: 'x86_64-w64-mingw32-g++-posix',
    commands: [['packaging/windows/run.sh', check]],
  },
  {
    name: 'clang-tidy',
    folder: 'clang',
    slow: true,
    commands: [
      [
        `${clang} && ${cppFiles} | grep '\\.cpp$' | grep -v '^bench/cpp/peers/' | xargs -P 2 -n 1 clang-tidy --quiet -p build/clang`,
        check,
      ],
    ],
  },
  {
    name: 'mutations',
    alone: true,
    slow: true,
    commands: ['js', 'cpp'].map((lang) => [`npm run -s mutate -- --lang ${lang}`, check] as const),
  },
];
