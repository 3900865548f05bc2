import { expect } from 'chai';
import { withAdded } from '../report/added.js';
import { table } from '../report/table.js';
import { results, row } from './made.js';

const whole = results([
  row({ scenario: 'simple', ns: 1 }),
  row({ scenario: 'loop', ns: 2 }),
  row({ scenario: 'cancel', ns: 3 }),
]);
const later = (rows: Parameters<typeof results>[0], commit: string) => ({
  ...results(rows),
  date: '2026-05-06T07:08:09.000Z',
  commit,
});

describe('scenarios that a run of their own has measured', () => {
  it('stand in their place, with those of all subjects, and the table says so', () => {
    const loops = [row({ scenario: 'loop', ns: 4 }), row({ scenario: 'loop', subject: 'Effect' })];
    const all = withAdded(whole, later([...loops, row({ scenario: 'observed', ns: 5 })], 'def'));
    const shown = all.rows.map(({ scenario, subject, ns }) => `${scenario} ${subject} ${ns}`);
    expect(shown).to.have.ordered.members([
      'simple steptree 1',
      'observed steptree 5',
      'loop steptree 4',
      'loop Effect 10',
      'cancel steptree 3',
    ]);
    expect(all).to.include({ date: whole.date, commit: 'abc' });
    expect(table(all)).to.include(
      'Of a run of their own on 2026-05-06, commit def: JavaScript loop, JavaScript observed.',
    );
  });

  it('are said to be of the last run that has measured them', () => {
    const two = [row({ scenario: 'loop' }), row({ scenario: 'cancel' })];
    const once = withAdded(whole, later(two, 'def'));
    const again = withAdded(once, later([row({ scenario: 'loop' })], 'ghi'));
    const of = (commit: string) => again.added!.find((each) => each.commit === commit)?.scenarios;
    expect([of('def'), of('ghi')]).to.deep.equal([['JavaScript cancel'], ['JavaScript loop']]);
    const last = withAdded(again, later([row({ scenario: 'cancel' })], 'jkl'));
    expect(last.added!.map(({ commit }) => commit)).to.deep.equal(['ghi', 'jkl']);
  });

  it('are refused if another machine, or other versions were measured', () => {
    const { machine } = whole;
    const versions = { ...whole.versions, js: { steptree: '2' } };
    for (const other of [
      { machine: { ...machine, cpu: 'another' } },
      { node: 'v21' },
      { versions },
    ])
      expect(() => withAdded(whole, { ...whole, ...other })).to.throw('of another machine or');
    const cpp = { cpp: { steptree: '2' }, js: whole.versions.js };
    expect(withAdded(whole, { ...whole, compiler: 'g++ 13', versions: cpp }).compiler).to.equal(
      'g++ 12',
    );
  });
});
