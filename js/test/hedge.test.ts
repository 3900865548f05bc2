import { expect } from 'chai';
import {
  AsyncSteps,
  errors,
  hedge,
  type HedgeOptions,
  RetryBudget,
  shield,
  StepError,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';

describe('hedge', () => {
  it('an attempt that is slow is overtaken by the next one, and stopped', async () => {
    const { flow, tool, run } = bench();
    const stopped: number[] = [];
    flow.add(
      hedge({ after: 50 }, (asi, attempt) => {
        asi.setCancel(() => void stopped.push(attempt, tool.now()));
        const done = asi.waitExternal();
        tool.deferred(attempt === 1 ? 500 : 20, () => done.success(`answer ${attempt}`));
      }),
    );
    expect(await run()).to.deep.include({ kind: 'ok', values: ['answer 2'] });
    expect(stopped).to.deep.equal([1, 70]);
  });

  it('who is asked gets the very error, and may say in how many milliseconds to try again', async () => {
    const { flow, tool, run } = bench();
    const seen: unknown[] = [];
    const times: number[] = [];
    const on = (code: string, error: any): number | boolean => {
      seen.push(code, error.message);
      return error.after ?? code === 'Again';
    };
    flow.add(
      hedge({ after: Infinity, max: 9, on }, async (asi, attempt) => {
        times.push(tool.now());
        if (attempt < 3) throw Object.assign(new Error('busy'), { after: 20 - 10 * attempt });
        asi.error(attempt === 3 ? 'Again' : 'Enough');
      }),
    );
    const { error } = (await run())! as any;
    expect(times).to.deep.equal([0, 10, 10, 10]);
    expect(seen.slice(0, 3)).to.deep.equal(['InternalError', 'busy', 'InternalError']);
    expect(error.also.map((other: Error) => other.message)).to.deep.equal([
      'busy',
      'busy',
      'Again',
    ]);
  });

  it('what is neither true, false nor a time is a mistake in the program', async () => {
    for (const answer of ['120', null, {}, NaN, -1, Infinity, 5n, Promise.resolve(true)]) {
      const { flow, run } = bench();
      flow.add(hedge({ after: 5, on: () => answer as never }, (asi) => asi.error('Busy')));
      const { code, error } = (await run())! as any;
      expect(code, String(answer)).to.equal(errors.InternalError);
      expect(error).to.have.nested.property('cause.code', 'Busy');
    }
  });

  it("an exception out of the function that is asked takes the error's place, and all attempts are stopped", async () => {
    const { flow, tool, run } = bench();
    const thrown = new TypeError('asked');
    const stopped: number[] = [];
    const on = (): boolean => {
      throw thrown;
    };
    flow.add(
      hedge({ after: 5, on }, (asi, attempt) => {
        asi.setCancel(() => void stopped.push(attempt));
        const done = asi.waitExternal();
        if (attempt === 2) tool.deferred(5, () => done.error('Busy'));
      }),
    );
    expect(await run()).to.have.property('error', thrown);
    expect(stopped).to.deep.equal([2, 1]);
    expect(tool.armedTimers()).to.equal(0);
  });

  it('the flow may be cancelled by who is asked', async () => {
    const stopped: number[] = [];
    for (const shielded of [false, true]) {
      const { flow, tool, run, told } = bench();
      const on = (): boolean => {
        flow.cancel('asked');
        return true;
      };
      const hedged = hedge({ after: 5, max: 4, on }, (asi, attempt) => {
        asi.setCancel(() => void stopped.push(attempt));
        const done = asi.waitExternal();
        if (attempt === 2) tool.deferred(2, () => done.error('Busy'));
        if (attempt === 3) tool.deferred(2, () => done.success());
      });
      flow.add(shielded ? shield(1000, hedged) : hedged);
      expect(await run()).to.deep.include({ kind: 'cancelled', reason: 'asked' });
      expect(tool.now()).to.equal(shielded ? 12 : 7);
      expect(tool.armedTimers()).to.equal(0);
      expect(told).to.deep.equal([]);
    }
    expect(stopped).to.deep.equal([2, 1, 2, 1]);
  });

  it('an error object that every attempt throws has nothing of itself in also', async () => {
    for (const same of [
      new Error('same'),
      Object.freeze(new Error('frozen')),
      new StepError('E'),
    ]) {
      const { flow, run } = bench();
      flow.add(
        hedge({ after: 5, max: 3, on: () => true }, () => {
          throw same;
        }),
      );
      const { error } = (await run())! as any;
      expect(error).to.equal(same);
      expect(error.also ?? []).to.deep.equal([]);
    }
  });

  it('one value serves many flows at once, with a budget for all of them', async () => {
    const { tool } = bench();
    const budget = new RetryBudget({ capacity: 2, ratio: 0.5 });
    const attempts: string[] = [];
    const ask = hedge({ after: 5, max: 9, budget }, (asi, id: string, attempt: number) => {
      attempts.push(`${id}${attempt}`);
      const done = asi.waitExternal();
      tool.deferred(8, () => done.success(id + attempt));
    });
    const ends = ['a', 'b', 'c'].map((id) => new AsyncSteps({ tool }).add(ask.with(id)).promise());
    await tool.run();
    expect(await Promise.all(ends)).to.deep.equal(['a1', 'b1', 'c1']);
    expect(attempts).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2']);
    expect(budget.tokens()).to.equal(1.5);
  });

  it('a list of codes may change after it was given', async () => {
    const { flow, run } = bench();
    const codes = ['Busy'];
    const ask = hedge({ after: 5, on: codes }, (asi) => asi.error('Busy'));
    codes.pop();
    flow.add(ask);
    expect((await run())?.error).to.have.nested.property('also[0].code', 'Busy');
  });

  it('bad options say what was expected and what came', () => {
    const refused = (options: unknown) =>
      thrownBy(() => hedge(options as HedgeOptions, () => {})).info;
    expect(refused(undefined)).to.equal('hedge: expected options, got undefined');
    expect(refused({})).to.equal('hedge: after: expected milliseconds, 0 or more, got undefined');
    expect(refused({ after: 5, max: Infinity })).to.equal(
      'hedge: max: expected a count of 1 or more, got Infinity',
    );
    expect(refused({ after: 5, on: [''] })).to.match(/^on: expected codes or a function, got /);
    expect(refused({ after: 5, budget: 7 })).to.equal('budget: expected a RetryBudget, got 7');
    expect(refused({ after: 5, backoff: {} })).to.equal(
      "hedge: expected one of after max on budget, got 'backoff'",
    );
    const { info } = thrownBy(() => hedge({ after: 5 }, null as never));
    expect(info).to.equal('hedge: expected a function as body, or a step, got null');
  });
});
