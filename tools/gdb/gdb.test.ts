import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));
const build = join(root, 'build/gdb');
const program = join(build, 'hang');
const library = join(build, 'cpp/libsteptree.a');
const sources = join(root, 'tools/gdb/hang.cpp');

const run = (command: string, args: readonly string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** What gdb prints of a program that it trusts. */
function gdb(commands: readonly string[], files: readonly string[], trusts = true): string {
  const trust = trusts ? ['-iex', `add-auto-load-safe-path ${build}`] : [];
  const args = ['-q', '-batch', '-nx', ...trust, ...commands.flatMap((each) => ['-ex', each])];
  const { stdout, stderr } = spawnSync('gdb', [...args, ...files], {
    cwd: build,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

const flowsIn = (text: string) =>
  text.split('\n').filter((line) => /^(flow \d+|[ │]*[├└])/.test(line));

/** Without what only the program knows: what time it is, and who else waits. */
const timeless = (line: string) =>
  line
    .replace(/, (?:\d+ ms old|place|for \d+ ms now).*?( \((?:in |\/).*\))?$/, '$1')
    .replace(/, its limit in \d+ ms/, '')
    .replace(/waits \d+ ms/, 'waits for its timer');

const eventsIn = (text: string) => text.split('\n').filter((line) => /^\d+ flow /.test(line));

/** Where the program has that. */
function at(text: string): string {
  const lines = readFileSync(sources, 'utf8').split('\n');
  return `(${sources}:${1 + lines.findIndex((line) => line.includes(text))})`;
}

const some = [
  `   ├─ |cart sync: waits for its completion ${at('.named("charge")')}`,
  '   └─ |mails sync: waits for mutex "db"',
  `└─ ask/#0/0 delay: waits for its timer ${at('.named("ask")')}`,
  '└─ 0/1 step: waits for its completion (in main(int, char**))',
  '└─ its turn is next',
  '   ├─ |1 sync: waits for rwlock.write "cache"',
  '   ├─ |4 sync: waits for limiter "calls"',
  '   ├─ |8 sync: waits for mutex "user"',
  '   ├─ |12 sync: waits for a guard of the program',
  `   ├─ |15/0 step: waits for a value of channel "jobs" ${at('.receive(')}`,
  '   ├─ |18 map: waits for a value of channel "jobs"',
  '   └─ |20 delay: waits for ever',
];

const inHalves = <T>(list: readonly T[]) => [
  list.slice(0, list.length / 2),
  list.slice(list.length / 2),
];

describe('gdb', function () {
  this.timeout(600_000);

  before(() => {
    mkdirSync(build, { recursive: true });
    const options = ['BUILD_TESTS=OFF', 'BUILD_EXAMPLES=OFF', 'UNITY=ON'];
    const settings = options.map((option) => `-DSTEPTREE_${option}`);
    run('cmake', ['-S', '.', '-B', build, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Debug', ...settings]);
    run('cmake', ['--build', build, '--target', 'steptree']);
    const flags = ['-std=c++20', '-g', '-O1', '-pthread', '-Icpp/include'];
    run('c++', [...flags, sources, library, '-o', program]);
  });

  it('shows what the flows of a process wait for, which it finds by itself', () => {
    const text = gdb(['break stuck', 'run', 'steptree flows'], [program]);
    const [own, shown] = inHalves(flowsIn(text));
    expect(shown, text).to.deep.equal(own!.map(timeless));
    expect(shown).to.include.members(some);
  });

  it('shows the same of a core dump', () => {
    const directory = mkdtempSync(join(tmpdir(), 'core-'));
    try {
      const core = join(directory, 'core');
      const own = flowsIn(gdb(['run abort', `generate-core-file ${core}`], [program]));
      expect(readdirSync(directory)).to.deep.equal(['core']);
      const shown = flowsIn(gdb(['steptree flows'], [program, core]));
      expect(shown).to.deep.equal(own.map(timeless));
      expect(shown).to.include.members(some);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('shows what a recorder has, as the program does', () => {
    const [own, shown] = inHalves(
      eventsIn(gdb(['break stuck', 'run', 'steptree events'], [program])),
    );
    expect(own).to.have.length(20);
    expect(own!.at(-1)).to.match(/^1 flow \d+ "soon" begun$/);
    expect(shown).to.deep.equal(own);
  });

  it('shows what a recorder has of a core dump', () => {
    const directory = mkdtempSync(join(tmpdir(), 'core-'));
    try {
      const core = join(directory, 'core');
      const own = eventsIn(gdb(['run abort', `generate-core-file ${core}`], [program]));
      const shown = eventsIn(gdb(['steptree events'], [program, core]));
      expect(own).to.have.length(20);
      expect(shown).to.deep.equal(own);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('says that there is no recorder before the program has made one', () => {
    const shown = gdb(['break main', 'run', 'steptree events'], [program]);
    expect(shown).to.contain('no recorder is there');
  });

  it('says that there is no flow before the program has begun one', () => {
    expect(gdb(['break main', 'run', 'steptree flows'], [program])).to.contain('no flow runs');
  });

  it('asks for trust first', () => {
    expect(gdb(['steptree flows'], [program], false)).to.contain('auto-load safe-path');
  });
});
