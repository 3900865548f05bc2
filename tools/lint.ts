/** What no linter of a single language looks for: left-over marks, tests that are left out, circles of includes,
 * classes of one name, and names that stand apart in the two languages. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

import { classesTwice } from './classes.js';
import { includeCircles } from './includes.js';
import { staleTable, strayFunctions } from './stems.js';

interface Ban {
  readonly files: RegExp;
  readonly text: RegExp;
  /** The places that may: the file's name, and how the line begins. */
  readonly but?: readonly string[];
  readonly why: string;
}

const source = /\.(?:[cm]?[jt]s|[ch]pp|cmake|sh|yaml|json|md)$|CMakeLists\.txt$|tools\/setup$/;
const bans: readonly Ban[] = [
  { files: source, text: /\b(?:TO[D]O|FIX[M]E|X[X]X|HAC[K])\b/, why: 'unfinished' },
  {
    files: /\.test\.ts$/,
    text: /\b(?:it|describe|suite|test)\.(?:skip|only)\b|\bx(?:it|describe)\(/,
    why: 'a test is left out',
  },
  {
    files: /\.[ch]pp$/,
    text: /"[^"]*\[(?:\.[^\]]*|!mayfail|!shouldfail|!throws)\][^"]*"\s*\)\s*\{/,
    why: 'a test is hidden or may fail',
  },
  { files: /^js\/src\//, text: /from 'node:|require\(/, why: 'the package runs in browsers too' },
  {
    files: /^cpp\/(?:include|src)\//,
    text: /^(?!\s*\/\/).*std::function\b/,
    why: 'closures are stored inline',
  },
  {
    files:
      /^cpp\/src\/(?!(?:await|delay|hedge|kinds|lease|loop|map|parallel|retry|shield|steps|sync|taking)\.cpp$).*\.[ch]pp$/,
    text: /StepKind::(?!(?:plain|other)\b)|^#include "section\.hpp"/,
    but: [
      'adder.cpp: #include "section.hpp"',
      'keyed.cpp: #include "section.hpp"',
      'adder.cpp: return spec.kind == StepKind::sync &&',
      'adder.cpp: Step& step = *::new (memory) Step(StepKind::sync, &ops, line, &owner);',
      'completion.cpp: if (step.kind != StepKind::iteration) releaseSlot(line);',
      'loop.hpp: : iteration(StepKind::iteration, nullptr, *loop.line, &loop) {',
      'run.cpp: return iteration.kind == StepKind::iteration &&',
      'run.cpp: iteration.parent->kind == StepKind::loop;',
      'sequence.hpp: Step& step = *::new (place) Step(StepKind::steps, of.spec.ops, line, owner);',
    ],
    why: 'the engine knows no kind of step: it asks a Kind',
  },
  { files: /^package-lock\.json$/, text: /"resolved":/, why: 'names a registry' },
];

const mostCaseLines = 800;
const root = fileURLToPath(new URL('..', import.meta.url));
const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root });
const names = list.toString().trim().split('\n');
const files = names.filter((name) => existsSync(root + name));
let findings = 0;
for (const { files: which, text, but = [], why } of bans) {
  for (const file of files.filter((name) => which.test(name))) {
    for (const [i, line] of readFileSync(root + file, 'utf8')
      .split('\n')
      .entries()) {
      if (!text.test(line)) continue;
      const place = `${basename(file)}: ${line.trim()}`;
      if (but.some((allowed) => place.startsWith(allowed))) continue;
      findings++;
      console.log(`${file}:${i + 1}: ${why}: ${line.trim()}`);
    }
  }
}
for (const file of files.filter((name) => /^conformance\/cases\//.test(name))) {
  const lines = readFileSync(root + file, 'utf8').split('\n').length - 1;
  if (lines <= mostCaseLines) continue;
  findings++;
  console.log(`${file}: ${lines} lines of cases: split it into <chapter>-<topic>.yaml`);
}
for (const circle of includeCircles(root, files)) {
  findings++;
  console.log(`a circle: ${circle}`);
}
for (const twice of classesTwice(root, files)) {
  findings++;
  console.log(`two classes of one name: ${twice}`);
}
for (const stray of strayFunctions(root, files)) {
  findings++;
  console.log(`a name that stands apart: ${stray}`);
}
for (const stale of staleTable(root, files)) {
  findings++;
  console.log(`spec/README.md: ${stale}`);
}
console.log(`${files.length} files, ${findings} finding(s)`);
process.exitCode = findings === 0 ? 0 : 1;
