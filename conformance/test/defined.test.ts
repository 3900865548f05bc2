import { expect } from 'chai';
import { fileURLToPath } from 'node:url';
import { define, runDefined } from '../../js/conformance/defined.js';
import type { Case } from '../../js/conformance/run.js';
import { loadSuite } from '../load.js';

const { cases } = loadSuite(fileURLToPath(new URL('../..', import.meta.url)));
/** As an adapter gets it: no part of it stands in two places. */
const asCase = (program: unknown) => JSON.parse(JSON.stringify(program)) as Case;
const main = (...level: object[]): Case => ({ flows: { main: level as Case['flows'][string] } });

/**
 * Of all cases but those in which a lock is lost, as a handler inside of that can't be a value: these may only rise. What is left awaits, gives
 * way, or has a handler inside of a lock while other lines run.
 */
const leastValues = 0.973;
const leastBodies = 208;

describe('the cases as values', () => {
  it('are values but for few steps', () => {
    const sum = { steps: 0, values: 0, bodies: 0 };
    for (const { program } of cases) {
      if (JSON.stringify(program).includes('"lose":')) continue;
      const { share } = define(asCase(program));
      sum.steps += share.steps;
      sum.values += share.values;
      sum.bodies += share.bodies;
    }
    expect(sum.values / sum.steps).to.be.at.least(leastValues);
    expect(sum.bodies).to.be.at.least(leastBodies);
  });

  it('run twice, and show it when the second run differs', async () => {
    let times = 0;
    const changing = {
      get log() {
        return `run ${++times}`;
      },
    };
    const answer = await runDefined(main({ step: 'a', do: [changing] }));
    expect(answer).to.deep.include({
      trace: ['a', 'run 1', 'main ok', 'again:', 'a', 'run 2', 'main ok'],
    });
  });

  it("aren't run if none of their steps can be a value", async () => {
    expect(await runDefined(main({ await: 'x', on: 'p' }))).to.have.keys('unfit');
  });

  it('have a value in the place of a body that only adds steps, and of a limit', () => {
    const steps = [{ step: '', do: [{ step: 'b' }, { step: 'c' }] }];
    expect(define(main(...steps)).share).to.deep.equal({ steps: 3, values: 3, bodies: 1 });
    const limit = [{ step: '', do: [{ setTimeout: 5 }, { step: 'b' }] }];
    expect(define(main(...limit)).share).to.deep.equal({ steps: 2, values: 2, bodies: 1 });
  });

  it('keep calls where a guard comes later, an argument is refused, and where others see the turn', () => {
    const made = [
      {
        step: 'a',
        do: [
          { makeGuard: 'g', mutex: {} },
          { sync: 's', guard: 'g' },
        ],
      },
    ];
    expect(define(main(...made)).share).to.include({ steps: 2, values: 1 });
    expect(define(main({ delay: -1 })).share).to.include({ steps: 1, values: 0 });
    const empty = { step: '', do: [{ step: 'b' }] };
    expect(define(main({ parallel: 'p', branches: [empty] })).share).to.include({ bodies: 0 });
  });
});
