import { expect } from 'chai';
import { fileURLToPath } from 'node:url';
import type { Program } from '../case.js';
import { Asker } from '../fuzz/asker.js';
import type { Finding } from '../fuzz/findings.js';
import { fuzz, type Result, type Source } from '../fuzz/fuzz.js';
import { Judge } from '../fuzz/judge.js';
import { programOf } from '../fuzz/programs.js';

const planted = fileURLToPath(new URL('planted.mjs', import.meta.url));
const limits = { startMs: 30_000, caseMs: 1000 };

type Implementation = 'right' | 'wrong' | 'crash' | 'hang';

const generated: Source[] = Array.from({ length: 200 }, (_, k) => ({
  program: programOf(7, k),
  replay: `--seed 7 --program ${k}`,
}));
const isRace = ({ program }: { program: Program }) =>
  JSON.stringify(program.flows).includes('"race"');
const withoutRace = generated.filter((source) => !isRace(source)).slice(0, 40);
/** The only one. */
const race: Source = {
  program: {
    case: 'a race of one branch',
    rules: ['model-1'],
    flows: { main: [{ step: 'a', do: [{ race: 'b', branches: [{ step: 'c' }] }] }] },
  },
  replay: 'the race',
};
const sources = [...withoutRace.slice(0, 20), race, ...withoutRace.slice(20)];

async function run(bug: Implementation): Promise<Result> {
  const model = { name: 'model', command: `node ${planted}` };
  const other = { name: 'impl', command: `node ${planted} ${bug}` };
  const [first, ...others] = [model, other].map((found) => new Asker(found, limits, '.'));
  const result = await fuzz(sources, {
    judge: new Judge(first as Asker, others),
    window: 16,
    mostFindings: 10,
    isOver: () => false,
    onProgram: () => {},
    onFinding: () => {},
  });
  await Promise.all([first, ...others].map((asker) => asker?.end()));
  return result;
}

const stepsOf = (program: Program) =>
  JSON.stringify(program).match(/"(step|parallel|race|setCancel)":/g)?.length ?? 0;

describe('fuzz', function () {
  this.timeout(120_000);

  it('finds nothing where two are the same', async () => {
    const { programs, wrong, coverage } = await run('right');
    expect({ programs, wrong }).to.deep.equal({ programs: sources.length, wrong: 0 });
    expect(coverage.summary().reached).to.include.keys('step', 'race');
  });

  it('finds a planted bug and shrinks it to a few steps', async () => {
    const { findings } = await run('wrong');
    expect(findings).not.to.deep.equal([]);
    for (const { verdict, replay } of findings) {
      expect(verdict.wrong).to.equal('impl differs');
      expect(JSON.stringify(verdict.program)).to.match(/"parallel".*"setCancel"/);
      expect(stepsOf(verdict.program)).to.be.at.most(4);
      expect(replay).to.match(/^--seed 7 --program \d+$/);
    }
  });

  it('attributes a crash to the program that was worked at, shrinks it and goes on', async () => {
    const { programs, findings, wrong } = await run('crash');
    expect({ programs, wrong }).to.deep.equal({ programs: sources.length, wrong: 1 });
    expect(findings.map(({ replay }) => replay)).to.deep.equal([race.replay]);
    const [{ verdict }] = findings as [Finding];
    expect(verdict.wrong).to.equal('impl crashed');
    expect(verdict.program.flows).to.deep.equal({ main: [{ race: 'a' }] });
  });

  it('attributes a hang in the same way', async () => {
    const { programs, findings, wrong } = await run('hang');
    expect({ programs, wrong }).to.deep.equal({ programs: sources.length, wrong: 1 });
    expect(findings.map(({ replay }) => replay)).to.deep.equal([race.replay]);
    expect(findings[0]!.verdict.wrong).to.equal('impl hangs');
  });
});
