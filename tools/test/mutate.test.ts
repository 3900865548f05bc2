import { expect } from 'chai';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firstFailure } from '../mutate/cases.js';
import { checkFiles } from '../mutate/check.js';
import { shuffled } from '../mutate/draw.js';
import { explainedProblems } from '../mutate/explained.js';
import { engineFiles } from '../mutate/files.js';
import { apply, findMutations } from '../mutate/mutations.js';
import { isGood, survivorLines } from '../mutate/report.js';
import type { Workshop } from '../mutate/workshop.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const changes = (source: string, lang: 'js' | 'cpp') =>
  findMutations(source, lang).map(({ to }) => to);

describe('mutations', () => {
  it('each small change of the code is found', () => {
    const found = (line: string) => changes(`{\n${line}\n}\n`, 'js');
    expect(found('  if (a < b && !c) return;')).to.have.members([
      'if (a >= b && !c) return;',
      'if (a <= b && !c) return;',
      'if (a < b || !c) return;',
      'if (a < b && c) return;',
      'if (!(a < b && !c)) return;',
      ';',
    ]);
    expect(found('  done = true;')).to.have.members(['done = false;', ';']);
    expect(found('  i += 1;')).to.have.members(['i -= 1;', 'i += 0;', 'i += 2;', ';']);
    expect(found('  const x = ok ? a : b;')).to.deep.equal(['const x = !ok ? a : b;']);
  });

  it('a flag becomes another one of the same kind', () => {
    expect(changes('bits |= OPEN;\nbits &= ~LOST;\n', 'js')).to.include.members([
      'bits |= LOST;',
      'bits &= OPEN;',
      'bits &= ~OPEN;',
      'bits |= LOST;',
    ]);
    const cpp = 'if (a == Phase::body) go(kWait);\nb(Phase::inner, kLost);\n';
    expect(changes(cpp, 'cpp')).to.include.members([
      'if (a == Phase::inner) go(kWait);',
      'if (a == Phase::body) go(kLost);',
    ]);
  });

  it('comments, strings, imports and locks of threads stay as they are', () => {
    const js =
      "// a && b\nimport { A } from 'x';\n/* 1 < 2 */\nconst s = 'a && true';\nconst r = /a < 1/;\n";
    expect(changes(js, 'js')).to.deep.equal([]);
    const cpp = "#include <a>\nconst std::lock_guard<std::mutex> lock(m);\nauto c = '\"'; // 1\n";
    expect(changes(cpp, 'cpp')).to.deep.equal([]);
  });

  it('what a constructor sets to nothing stays as it is, elsewhere it does not', () => {
    const source =
      '{\n  constructor() {\n    this.a = null;\n  }\n\n  stop() {\n    this.a = null;\n  }\n}\n';
    expect(findMutations(source, 'js').map(({ line }) => line)).to.deep.equal([7]);
  });

  it('a condition over several lines is one', () => {
    const source = '{\n  if (\n    a &&\n    b\n  ) {\n    c();\n  }\n}\n';
    const flipped = findMutations(source, 'js').find(({ to }) => to.startsWith('if (!('));
    expect(apply(source, flipped!)).to.equal(
      '{\n  if (!(\n    a &&\n    b\n  )) {\n    c();\n  }\n}\n',
    );
  });

  it('the order is that of seed and file', () => {
    const list = Array.from({ length: 50 }, (_, i) => i);
    const first = shuffled(list, 1, 'a.ts');
    expect(first).to.have.members(list).and.not.deep.equal(list);
    expect(shuffled(list, 1, 'a.ts')).to.deep.equal(first);
    expect(shuffled(list, 2, 'a.ts')).not.to.deep.equal(first);
    expect(shuffled(list, 1, 'b.ts')).not.to.deep.equal(first);
  });

  it('the files are those of the table of stems', () => {
    const file = (lang: 'js' | 'cpp', stem: string) =>
      engineFiles(root, lang).find((found) => found.stem === stem);
    expect(file('js', 'run')?.chapters).to.include.members(['model', 'results', 'flow']);
    expect(file('js', 'mutex')?.ownTests[0]).to.equal('js/test/mutex.test.ts');
    expect(file('cpp', 'flow')?.file).to.equal('cpp/src/flow.cpp');
    expect(file('js', 'flow')).to.equal(undefined);
    expect(file('cpp', 'guards')?.ownTests[0]).to.equal('cpp/test/guards_thread_test.cpp');
  });

  it('all sources of the engines are in that table', () => {
    const missing = (lang: 'js' | 'cpp', folder: string) => {
      const known = engineFiles(root, lang).map(({ file }) => file);
      const sources = readdirSync(join(root, folder)).filter((name) => /\.(?:ts|cpp)$/.test(name));
      return sources.map((name) => `${folder}/${name}`).filter((file) => !known.includes(file));
    };
    expect(missing('cpp', 'cpp/src')).to.deep.equal([]);
    const declarations = ['codes', 'iasyncsteps', 'index'].map((stem) => `js/src/${stem}.ts`);
    expect(missing('js', 'js/src')).to.have.members(declarations);
  });
});

describe('the check of a suite', () => {
  const engine = 'const f = (a, b) => {\n  if (a < b) return 1;\n  return 0;\n};\n';
  const weak = (f: any) => f(1, 2) === 1;
  const strong = (f: any) => f(1, 2) === 1 && f(2, 2) === 0 && f(3, 2) === 0;
  const file = { file: 'engine.js', stem: 'engine', chapters: [], ownTests: [], otherTests: [] };
  let tree: string;

  beforeEach(() => {
    late = undefined;
    tree = mkdtempSync(join(tmpdir(), 'mutate-'));
    mkdirSync(tree, { recursive: true });
    writeFileSync(join(tree, file.file), engine);
  });
  afterEach(() => rmSync(tree, { recursive: true }));

  let late: string | undefined;
  const workshop = (passes: (f: any) => boolean): Workshop => {
    const program = () => readFileSync(join(tree, file.file), 'utf8');
    return {
      tree,
      async build(_, source, mutated) {
        writeFileSync(join(tree, file.file), mutated);
        return source === mutated ? 'same' : 'made';
      },
      defences: () => [
        async () => (passes(new Function(`${program()}; return f;`)()) ? undefined : 'a test'),
        async () => (/<=/.test(program()) ? late : undefined),
      ],
      isSame: async () => false,
    };
  };
  const check = async (passes: (f: any) => boolean, explained: object[] = []) => {
    const plan = { lang: 'js', seed: 1, mutants: 20, limitMs: 1000, explained } as any;
    return await checkFiles([file], [workshop(passes)], plan, () => undefined);
  };
  const boundary = { file: file.file, from: 'if (a < b) return 1;', to: 'if (a <= b) return 1;' };

  it('a strong one kills them all', async () => {
    const results = await check(strong);
    expect(results[0]).to.deep.include({ killed: 7, total: 7, survivors: [], problems: [] });
    expect(isGood(results)).to.equal(true);
    expect(readFileSync(join(tree, file.file), 'utf8')).to.equal(engine);
  });

  it('a weak one is told what it lets live', async () => {
    const results = await check(weak);
    expect(isGood(results)).to.equal(false);
    expect(survivorLines(results[0]!)).to.include.members([
      '        engine.js:2',
      '          - if (a < b) return 1;',
      '          + if (a <= b) return 1;',
    ]);
  });

  it('what is explained is counted apart, as long as it is true', async () => {
    const entry = { ...boundary, reason: 'nobody asks with equals' };
    const [lives] = await check(weak, [entry]);
    expect(lives).to.deep.include({ explained: 1, total: 6, problems: [] });
    expect(lives!.survivors.map(({ to }) => to)).not.to.include(entry.to);
    const killed = await check(strong, [entry]);
    expect(killed[0]!.problems[0]).to.contain("'a test' kills if (a <= b) return 1;");
    expect(isGood(killed)).to.equal(false);
  });

  it('the last defence is asked for what has lived so far and is not explained', async () => {
    late = 'a late test';
    const entry = { ...boundary, reason: 'nobody asks with equals' };
    const [known] = await check(weak, [entry]);
    expect(known).to.deep.include({ explained: 1, problems: [] });
    const [fresh] = await check(weak);
    expect(fresh!.killed).to.be.greaterThan(known!.killed);
  });

  it('an entry that is about nothing, about two places, or without a reason is reported', () => {
    const problems = (source: string, entry: object) =>
      explainedProblems([{ ...boundary, reason: 'why', ...entry }], findMutations(source, 'js'));
    expect(problems(engine, {})).to.deep.equal([]);
    expect(problems(engine, { to: 'if (a == b) return 1;' })[0]).to.contain('about 0 mutations');
    expect(problems(engine, { reason: '' })[0]).to.contain('no reason');
    const twice = `${engine}{\n  other();\n  if (a < b) return 1;\n}\n`;
    expect(problems(twice, {})[0]).to.contain('about 2 mutations');
    expect(problems(twice, { after: 'other();' })).to.deep.equal([]);
  });
});

describe('the first failure', function () {
  this.timeout(30_000);
  const fake = fileURLToPath(new URL('../../conformance/test/fake-adapter.mjs', import.meta.url));
  const cases = (names: string[]) =>
    names.map((name) => ({
      ...{ chapter: 'model', file: '', line: 1 },
      program: { case: name, rules: [], flows: {}, trace: ['main ok'] },
    }));
  const ask = (names: string[], limitMs = 20_000, ...flags: string[]) =>
    firstFailure({ name: 'fake', command: ['node', fake, ...flags] }, cases(names), '.', limitMs);

  it('is the first case that goes wrong, in whatever way', async () => {
    expect(await ask(['right', 'right too'])).to.equal(undefined);
    expect(await ask(['right', 'wrong one', 'wrong two'])).to.equal('wrong one');
    expect(await ask(['right', 'refuse', 'right too'])).to.equal('refuse');
    expect(await ask(['right', 'garbage'])).to.equal('garbage');
    expect(await ask(['right', 'crash'])).to.equal('crash (ends)');
  });

  it('is one that takes too long, too', async () => {
    expect(await ask(['right', 'hang'], 2000)).to.match(/\(hangs\)$/);
  });

  it('is the end of a process that finds a leak', async () => {
    expect(await ask(['right'], 20_000, '--leaks')).to.equal('exit code 23 after the last case');
  });
});
