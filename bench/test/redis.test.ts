import { expect } from 'chai';
import { type Counted, Tally } from '../js/redis/tally.js';
import { withAdded } from '../redis/added.js';
import { quantile } from '../redis/measure.js';
import { parse } from '../redis/options.js';
import { type Results, rowsOf, type Sample } from '../redis/results.js';
import { type Cell, cellsOf, scenarios, subjects } from '../redis/scenarios.js';
import { table } from '../redis/table.js';
import { verify } from '../redis/verify.js';
import { textOf } from './made.js';

const counted = (own: Partial<Counted>): Counted => ({
  ...{ count: 1, times: new Map(), spans: new Float64Array(), chains: new Map(), admitted: 0 },
  ...{ cpu: 0, ...own },
});

describe('the bench over Redis', () => {
  it('refuses sections of one lock that meet, of two processes', () => {
    const one = counted({ spans: Float64Array.of(1, 2, 5, 6) });
    verify('sections', [one, counted({ spans: Float64Array.of(3, 4) })]);
    expect(() => verify('sections', [one, counted({ spans: Float64Array.of(5.5, 7) })])).to.throw(
      '1 sections have met another one',
    );
  });

  it('refuses jobs that have run twice or were left out', () => {
    const of = (last: number, count: number) =>
      counted({ chains: new Map([[7, { last, count }]]) });
    verify('jobs', [of(4, 2), of(3, 3)]);
    expect(() => verify('jobs', [of(4, 2), of(3, 4)])).to.throw('1 jobs');
    expect(() => verify('jobs', [of(4, 4)])).to.throw('1 jobs');
  });

  it('refuses a run in which nothing has ended, or too many were let in', () => {
    expect(() => verify('own', [counted({ count: 0 })])).to.throw('no operation has ended');
    expect(() => verify('refusals', [counted({ admitted: 1001 })])).to.throw('1001 were let in');
  });

  it('counts only while it measures, and knows quantiles within two percent', () => {
    const tally = new Tally();
    tally.add(0, 1000);
    tally.start();
    for (let ms = 1; ms <= 100; ms++) tally.add(0, ms);
    const said = tally.stop();
    expect(said.count).to.equal(100);
    expect(quantile([said], 0.5)).to.be.closeTo(50_000, 1000);
    expect(quantile([said], 0.99)).to.be.closeTo(99_000, 2000);
  });

  it('measures subjects beside each other, every second time in the opposite order', () => {
    const of = (repetition: number) =>
      cellsOf(parse(['--only', 'own_1p']).scenarios, repetition).map(({ subject }) => subject.stem);
    expect(of(0)).to.deep.equal(['steptree', 'redlock', 'bottleneck']);
    expect(of(1)).to.deep.equal(of(0).reverse());
  });

  it('compares the time of the CPU, in one repetition', () => {
    const [scenario] = parse(['--only', 'jobs_1p']).scenarios;
    const sample = (stem: string, repetition: number, server: number): Sample => {
      const subject = subjects.find((one) => one.stem === stem)!;
      const cell: Cell = { scenario: scenario!, subject };
      const rest = { perSecond: 1, p50: 1, p99: 1, commands: 1, bytes: 1, processes: 0 };
      return { cell, repetition, figures: { ...rest, server } };
    };
    const samples = [sample('steptree', 0, 10), sample('bullmq', 0, 20)];
    const again = [sample('bullmq', 1, 40), sample('steptree', 1, 10)];
    const [, row] = rowsOf([scenario!], [...samples, ...again], () => 2);
    expect(row).to.include({ subject: 'BullMQ', asked: 2, ratio: 0.375, ratioMin: 0.25 });
  });

  it('refuses what is no option', () => {
    expect(() => parse(['--fast'])).to.throw("no option '--fast'");
    expect(() => parse(['--only', 'x'])).to.throw("no scenario 'x'");
    expect(() => parse(['--repeat', '0'])).to.throw("not '0'");
    expect(() => parse(['--add'])).to.throw('--add needs --only');
    expect(() => parse(['--quick', '--only', 'own', '--add'])).to.throw('not with --quick');
    expect(parse(['--only', 'own', '--add'])).to.include({ complete: false, adds: true });
    expect(parse([])).to.include({ complete: true });
    expect(parse(['--quick'])).to.include({ complete: false, repeat: 1 });
  });
});

describe('scenarios over Redis that a run of their own has measured', () => {
  const whole = JSON.parse(textOf('bench/results/redis.json')) as Results;
  const own = (run: Partial<Results>): Results => ({
    ...whole,
    date: '2026-05-06T07:08:09.000Z',
    commit: 'def',
    rows: whole.rows.filter(({ scenario }) => scenario === 'own_1p'),
    ...run,
  });

  it('stand in their place, and the table says so', () => {
    const all = withAdded(whole, own({ versions: { another: '1' } }));
    expect(all.rows).to.deep.equal(whole.rows);
    expect(all).to.include({ date: whole.date, commit: whole.commit });
    expect(all.versions).to.include({ ...whole.versions, another: '1' });
    expect(table(all)).to.include('Of a run of their own on 2026-05-06, commit def: own_1p.');
    expect(withAdded(all, own({ commit: 'ghi' })).added!.at(-1)).to.include({ commit: 'ghi' });
    expect(withAdded(all, own({})).added).to.deep.equal(all.added);
  });

  it('are refused if another machine, or other versions were measured', () => {
    const others = [
      { node: 'v21' },
      { redis: '9' },
      { versions: { ...whole.versions, BullMQ: '1' } },
    ];
    for (const other of others)
      expect(() => withAdded(whole, own(other))).to.throw('another machine');
  });
});

describe('bench/results/redis.md', () => {
  const latest = JSON.parse(textOf('bench/results/redis.json')) as Results;

  it('is the table of the figures beside it', () => {
    expect(textOf('bench/results/redis.md')).to.equal(table(latest));
  });

  it('leaves out no scenario', () => {
    const measured = new Set(latest.rows.map((row) => row.scenario));
    expect(scenarios.filter(({ name }) => !measured.has(name))).to.deep.equal([]);
  });

  it('loses nothing that bench/README.md does not explain', () => {
    const [, section = ''] = textOf('bench/README.md').split('### Lost over Redis, and why');
    const peers = new Set(subjects.filter(({ isOwn }) => !isOwn).map(({ name }) => name));
    const lost = latest.rows.filter((row) => row.ratio > 1 && peers.has(row.subject));
    const unexplained = lost.filter(({ scenario, subject }) => {
      const program = scenarios.find(({ name }) => name === scenario)!.program;
      return !section.includes(`| \`${program}\` | ${subject} |`);
    });
    expect(unexplained).to.deep.equal([]);
  });
});
