// A kind that nobody needs: what it takes, and that the engine needn't know it.

import { expect } from 'chai';
import { checkOwner } from '../src/adder.js';
import { AWAIT, Await } from '../src/await.js';
import type { StepError } from '../src/error.js';
import { betweenRounds } from '../src/frame.js';
import { type Body, delay, type IAsyncSteps } from '../src/index.js';
import { AGAIN, ENDED, type Kind, READY } from '../src/kind.js';
import { LOOP, Loop } from '../src/loop.js';
import { Mapping } from '../src/map.js';
import { BRANCHES, Branches } from '../src/branches.js';
import { RETRY, Retry } from '../src/retry.js';
import { SHIELD, Shield } from '../src/shield.js';
import { SEQUENCE, Sequence } from '../src/definition.js';
import { SECTION, Section } from '../src/sync.js';
import {
  BODY,
  EXITS,
  FAILS,
  FREE,
  HOSTS,
  NUMBERED,
  OPENS,
  OWED,
  ROUND,
  ROUNDS,
} from '../src/phase.js';
import { Step } from '../src/step.js';
import { append, type Line, open, openInner, type Owner } from '../src/tree.js';
import { bench } from './bench.js';
import { LoggedKind } from './loggedkind.js';

/** Its body runs as a step, and once more. The error of the first round is dropped. */
class Twice extends LoggedKind {
  private rounds = 0;

  open(line: Line, step: Step): number {
    openInner(line, step);
    step.bits |= OWED;
    return AGAIN;
  }

  next(): number {
    return this.rounds < 2 ? READY : ENDED;
  }

  round(line: Line): Step {
    const round = new Step(ROUND | NUMBERED, this, this.rounds++);
    open(line, round, BODY);
    return round;
  }

  call(round: Step): unknown {
    return this.body(round);
  }

  failed(step: Step, error: StepError): StepError | null {
    this.log.push(`failed ${error.code}`);
    if (this.rounds === 2) return error;
    betweenRounds(step);
    return null;
  }
}

function addTwice(asi: IAsyncSteps, body: Body, log: string[]): void {
  const owner = asi as unknown as Owner;
  checkOwner(owner, 'twice');
  const twice = new Twice(body, log);
  append(owner, OPENS | FREE | ROUNDS | FAILS | EXITS, twice, null);
}

/** Runs a `twice` whose rounds do these. */
function runTwice(...bodies: [Body, Body]) {
  const log: string[] = [];
  const { flow, tool, run } = bench();
  let round = 0;
  const body: Body = (asi) => {
    log.push(`round ${round}`);
    return bodies[round++]!(asi);
  };
  return { log, flow, tool, run, add: (asi: IAsyncSteps) => addTwice(asi, body, log) };
}

const ok: Body = (asi) => void asi.add((inner) => inner.success('gone with its round'));
const fails = (code: string): Body => {
  return (asi) => void asi.add((inner) => inner.error(code));
};
const waits: Body = (asi) => void asi.waitExternal();

describe('kind', () => {
  it('runs a second round when the first has ended with ok', async () => {
    const { log, flow, run, add } = runTwice(ok, ok);
    flow.add(add).add((_asi, ...values) => log.push(`values ${values.length}`));
    expect((await run())?.kind).to.equal('ok');
    expect(log).to.deep.equal(['round 0', 'round 1', 'closed', 'values 0']);
  });

  it('runs a second round when the first has failed', async () => {
    const { log, flow, run, add } = runTwice(fails('E'), ok);
    flow.add(add);
    expect((await run())?.kind).to.equal('ok');
    expect(log).to.deep.equal(['round 0', 'left', 'failed E', 'round 1', 'closed']);
  });

  it('fails with the second round, whose number is in the path', async () => {
    const { log, flow, run, add } = runTwice(ok, fails('E'));
    flow.add(add, undefined, 'outer');
    const { error } = (await run())!;
    expect(error).to.include({ code: 'E', path: 'outer/0/#1/0' });
    expect(log).to.deep.equal(['round 0', 'round 1', 'left', 'failed E', 'closed']);
  });

  it('is left and closed by a cancel while a round waits', async () => {
    const { log, flow, tool, run, add } = runTwice(ok, waits);
    flow.add(add);
    tool.deferred(5, () => flow.cancel());
    expect((await run())?.kind).to.equal('cancelled');
    expect(log).to.deep.equal(['round 0', 'round 1', 'left', 'closed']);
  });

  it('is left and closed by a timeout around it', async () => {
    const { log, flow, run, add } = runTwice(waits, ok);
    flow.add((asi) => {
      asi.setTimeout(5);
      add(asi);
    });
    expect((await run())?.code).to.equal('Timeout');
    expect(log).to.deep.equal(['round 0', 'left', 'closed']);
  });

  it('is a branch of a parallel as any step, which another branch ends', async () => {
    const { log, flow, run, add } = runTwice(ok, waits);
    const branches = flow.parallel((_asi, code) => log.push(`caught ${code}`));
    branches.add(add).add((asi) => {
      asi.add(delay(5));
      asi.add((inner) => inner.error('E'));
    });
    expect((await run())?.code).to.equal('E');
    expect(log).to.deep.equal(['round 0', 'round 1', 'left', 'closed', 'caught E']);
  });

  it('is refused where no step may be added', async () => {
    const { flow, run, add } = runTwice(ok, ok);
    let kept!: IAsyncSteps;
    flow.add((asi) => {
      kept = asi;
    });
    await run();
    expect(() => add(kept)).to.throw(
      Error,
      'twice: steps are added while the body or handler of their accessor runs',
    );
  });
});

describe('kinds of the runtime', () => {
  const kinds: readonly [number, { readonly prototype: Partial<Kind> }][] = [
    [AWAIT, Await],
    [LOOP, Loop],
    [BRANCHES, Branches],
    [BRANCHES | EXITS, Mapping],
    [RETRY, Retry],
    [SHIELD, Shield],
    [SECTION, Section],
    [SEQUENCE, Sequence],
  ];
  const questions = { open: OPENS, next: ROUNDS, failed: FAILS, exit: EXITS, stop: HOSTS };

  for (const [bits, { prototype }] of kinds) {
    const { name } = prototype.constructor;
    it(`${name} has an answer to what its bits say, and to nothing else`, () => {
      const answered = Object.keys(questions).filter((question) => question in prototype);
      const asked = Object.entries(questions).filter(([, bit]) => bits & bit);
      expect(answered).to.deep.equal(asked.map(([question]) => question));
    });
  }
});
