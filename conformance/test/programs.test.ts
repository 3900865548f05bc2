import { expect } from 'chai';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { Program } from '../case.js';
import { Coverage } from '../fuzz/coverage.js';
import { caseText, Findings } from '../fuzz/findings.js';
import { namesIn } from '../fuzz/grammar.js';
import { brokenInvariants } from '../fuzz/invariants.js';
import { minimise } from '../fuzz/minimise.js';
import { isValid, programOf, programs } from '../fuzz/programs.js';
import { renamed, shapeOf } from '../fuzz/renamed.js';
import { runCase } from '../../spec/model/run.js';

const some = (count: number) => Array.from({ length: count }, (_, k) => programOf(1, k));
const small: Program = {
  case: 'a small one',
  rules: ['model-1'],
  flows: { main: [{ step: 'a' }] },
};

describe('programs', () => {
  it('are valid cases', () => {
    fc.assert(
      fc.property(programs, (program) => isValid(program)),
      { numRuns: 100 },
    );
  });

  it('are the same for the same seed and number, whatever else was made', () => {
    const first = some(20);
    expect(programOf(1, 13)).to.deep.equal(first[13]);
    expect(programOf(2, 13)).not.to.deep.equal(first[13]);
    expect(new Set(first.map((program) => JSON.stringify(program.flows))).size).to.equal(20);
  });

  it('make no flow in what stands in the place of a body that runs again', () => {
    const bodies = some(2000).flatMap(({ flows }) => {
      const found: unknown[] = [];
      JSON.stringify(flows, (_, part) => {
        const again = ['repeat', 'forEach', 'map', 'retry'].some(
          (kind) => part?.[kind] !== undefined,
        );
        if (again && part.body !== undefined) found.push(part.body);
        return part;
      });
      return found;
    });
    expect(bodies.length).to.be.above(100);
    expect(JSON.stringify(bodies)).not.to.include('"newInstance"');
  });

  it('shrink to valid programs that differ from them', () => {
    for (const program of some(2)) {
      for (const { value } of programs.shrink(program, undefined)) {
        expect(isValid(value)).to.equal(true);
        expect(value).not.to.deep.equal(program);
      }
    }
  });

  it('reach every form and every action', function () {
    this.timeout(60_000);
    const coverage = new Coverage();
    for (const program of some(2000)) {
      try {
        coverage.add(program, runCase(program as never));
      } catch {
        // The model refuses a few.
      }
    }
    expect(coverage.summary().reached).to.include.keys(...namesIn('body'), ...namesIn('root'));
  });

  it('shrink to the least that is still wrong', async () => {
    const isWrong = (program: Program) => Promise.resolve(/"defer"/.test(JSON.stringify(program)));
    const found = some(100).find((program) => JSON.stringify(program).includes('"defer"'))!;
    const { flows, ...rest } = await minimise(found, isWrong, {
      atATime: 8,
      isOver: () => false,
    });
    expect(JSON.stringify(flows).length).to.be.below(60);
    expect(Object.keys(rest).length).to.be.below(5);
  });
});

describe('findings', () => {
  it('are printed as a case that reads back', () => {
    for (const program of some(20)) {
      expect(parse(caseText(program))).to.deep.equal([JSON.parse(JSON.stringify(program))]);
    }
  });

  it('have one shape whatever the names and numbers are', () => {
    const of = (id: string, ms: number) => ({
      ...small,
      flows: { main: [{ step: id, do: [{ setTimeout: ms }] }] },
    });
    expect(shapeOf(of('x', 5))).to.equal(shapeOf(of('y', 7)));
    expect(shapeOf(of('x', 5))).not.to.equal(shapeOf(small));
    expect(renamed(of('x', 5)).flows).to.deep.equal(of('a', 5).flows);
  });
});

describe('Findings', () => {
  it('count what was shrunk to the same', () => {
    const findings = new Findings();
    const verdict = (wrong: string) => ({ program: small, trace: [], wrong, answers: new Map() });
    expect(findings.add(verdict('js differs'), '1')?.replay).to.equal('1');
    expect(findings.add(verdict('js differs'), '2')).to.equal(undefined);
    expect(findings.add(verdict('cpp differs'), '3')?.replay).to.equal('3');
    expect(findings.all.map(({ times }) => times)).to.deep.equal([2, 1]);
  });
});

describe('invariants', () => {
  const level = [{ step: 'a', do: [{ step: 'b' }] }, { step: 'c' }];
  const program = (more: object = {}) => ({
    ...small,
    flows: { main: level },
    start: [{ execute: 'main' }],
    ...more,
  });

  it('hold in an ordinary trace', () => {
    expect(brokenInvariants(program(), ['a', 'b', 'c', 'main ok'])).to.deep.equal([]);
  });

  it('see a step that goes on after the next one has begun', () => {
    const found = brokenInvariants(program(), ['a', 'c', 'b', 'main ok']);
    expect(found).to.deep.equal(['a step goes on after the next one has begun']);
  });

  it('see a step that goes on after its flow', () => {
    const found = brokenInvariants(program(), ['a', 'b', 'main cancelled', 'c~']);
    expect(found).to.deep.equal(['a step goes on after the end of its flow']);
  });

  it('see an end that is told twice', () => {
    const found = brokenInvariants(program(), ['a', 'b', 'c', 'main ok', 'main error E']);
    expect(found).to.deep.equal(['a flow ends twice']);
  });

  it('see a guard that stays locked', () => {
    const guarded = program({
      guards: { g: { mutex: {} } },
      flows: { main: level, probe: [{ sync: 'free g', guard: 'g' }] },
      events: [{ at: 9, do: [{ execute: 'probe' }] }],
    });
    const trace = ['a', 'b', 'c', 'main ok', '@9', 'free g', 'probe ok'];
    expect(brokenInvariants(guarded, trace)).to.deep.equal([]);
    const held = trace.filter((line) => line !== 'free g');
    expect(brokenInvariants(guarded, held)).to.deep.equal([
      'a guard is not free when all flows have ended',
    ]);
  });

  it('see a timer that stays armed', () => {
    const trace = ['a', 'b', 'c', 'main ok', '@100000', 'timers=1'];
    expect(brokenInvariants(program(), trace)).to.deep.equal([
      'a timer is left when all flows have ended',
    ]);
    expect(brokenInvariants(program(), [...trace, 'two waiting'])).to.deep.equal([]);
  });

  it('see a flow that outlasts its cancel', () => {
    const cancelled = program({ events: [{ at: 300, do: [{ cancel: 'main' }] }] });
    expect(brokenInvariants(cancelled, ['a', 'b', '@300', 'main waiting'])).to.deep.equal([
      'a flow runs long after it was cancelled',
    ]);
    const again = {
      ...cancelled,
      start: [{ execute: 'main' }, { deferred: 9, do: [{ execute: 'main' }] }],
    };
    expect(brokenInvariants(again, ['a', 'b', '@300', 'main waiting'])).to.deep.equal([]);
  });

  it('hold in snapshots', () => {
    const guarded = program({ guards: { g: { mutex: {} } } });
    const line = 'mutex waiting=2 active=1 available=0 held=main a';
    const waits = ['main a/|0 sync: guard mutex 1', 'main a/|1 sync: guard mutex 2'];
    const trace = ['main running deadline=1', ...waits, line, 'a', 'b', 'c', 'main ok'];
    expect(brokenInvariants(guarded, [...trace, 'main idle'])).to.deep.equal([]);
    const found = (...lines: string[]) => brokenInvariants(guarded, lines);
    expect(found(...trace, 'main cancelling signal', 'main 0: turn')).to.deep.equal([
      'a flow is shown to run when it has ended',
    ]);
    const unnamed = 'a flow is shown without a line, or an idle one with one';
    expect(found('main running', 'b')).to.deep.equal([unnamed]);
    expect(found('main idle', 'main: turn')).to.deep.equal([unnamed]);
    expect(found('main running', waits[0]!, waits[0]!)).to.deep.equal([
      'two lines are shown at the same place of a queue',
    ]);
    expect(found(`${line},main b`)).to.deep.equal([
      'a guard is shown with more holders than it has',
    ]);
  });
});
