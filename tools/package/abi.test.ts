import { expect } from 'chai';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './installed.js';

interface Built {
  readonly header: string;
  readonly source: string;
  /** What the linker writes as its name. */
  readonly soname?: string;
  readonly debug?: string;
}

const header = 'struct Pair { int first; int second; };\nint sum(const Pair &);\n';
const source = 'int sum(const Pair &pair) { return pair.first + pair.second; }\n';

describe('what was linked with a library', function () {
  this.timeout(120_000);
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'abi-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function build(name: string, { header, source, soname, debug = '-g' }: Built): string {
    const prefix = join(folder, name);
    mkdirSync(join(prefix, 'include'), { recursive: true });
    writeFileSync(join(prefix, 'include/pair.hpp'), header);
    writeFileSync(join(prefix, 'pair.cpp'), `#include "include/pair.hpp"\n${source}`);
    const linked = ['-shared', '-fPIC', `-Wl,-soname,${soname ?? 'libsteptree.so.1'}`];
    execFileSync('g++', [debug, ...linked, 'pair.cpp', '-o', 'libsteptree.so'], { cwd: prefix });
    return prefix;
  }

  function compared(before: Built, after: Built) {
    const prefixes = [build('before', before), build('after', after)];
    const script = join(root, 'cpp/test/abi/compare.sh');
    const { status, stdout, stderr } = spawnSync(script, prefixes, { encoding: 'utf8' });
    return { status, said: stdout + stderr };
  }

  it('runs if functions are added, or what only the library knows has changed', () => {
    const inside =
      'struct Inside { int a; };\nint more(const Pair &pair) { Inside i{1}; return i.a + pair.first; }\n';
    const other = inside.replace('int a;', 'long b; int a;').replace('i{1}', 'i{2, 1}');
    const more = `${header}int more(const Pair &);\n`;
    expect(
      compared({ header: more, source: source + inside }, { header: more, source: source + other }),
    ).to.deep.include({ status: 0 });
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    const { status, said } = compared(
      { header, source },
      { header: more, source: source + inside },
    );
    expect(said).to.include('libsteptree.so: ok');
    expect(status).to.equal(0);
  });

  it('fails if a type of the headers has another layout, or a function is gone', () => {
    const larger = header.replace('int first;', 'long first;');
    const laidOut = compared({ header, source }, { header: larger, source });
    expect(laidOut.said).to.include('another kAbi').and.include('Pair');
    expect(laidOut.status).to.equal(1);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    const renamed = { header: header.replace('sum', 'add'), source: source.replace('sum', 'add') };
    const gone = compared({ header, source }, renamed);
    expect(gone.said).to.include('another kAbi').and.include('sum(const Pair&)');
    expect(gone.status).to.equal(1);
  });

  it('is compiled again if the number of the interface is another one', () => {
    const larger = header.replace('int first;', 'long first;');
    const { status, said } = compared(
      { header, source },
      { header: larger, source, soname: 'libsteptree.so.2' },
    );
    expect(said).to.equal(
      'libsteptree.so: another interface: libsteptree.so.1 is libsteptree.so.2 now\n',
    );
    expect(status).to.equal(0);
  });

  it('is nothing that can be said if it is there twice, or has no number', () => {
    const prefix = build('twice', { header, source });
    mkdirSync(join(prefix, 'build'));
    cpSync(join(prefix, 'libsteptree.so'), join(prefix, 'build/libsteptree.so'));
    const script = join(root, 'cpp/test/abi/compare.sh');
    const { status, stderr } = spawnSync(script, [prefix, prefix], { encoding: 'utf8' });
    expect(stderr).to.include('twice has several of: libsteptree.so');
    expect(status).to.equal(1);
    const unnamed = compared({ header, source }, { header, source, soname: '' });
    expect(unnamed.said).to.include('it has no SONAME');
    expect(unnamed.status).to.equal(1);
  });

  it('is nothing that can be said without debug info', () => {
    const { status, said } = compared({ header, source, debug: '-g0' }, { header, source });
    expect(said).to.include('no debug info');
    expect(status).to.equal(1);
  });
});
