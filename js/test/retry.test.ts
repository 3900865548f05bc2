import { expect } from 'chai';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import {
  AsyncSteps,
  type IAsyncSteps,
  errors,
  RetryBudget,
  type RetryOptions,
  StepError,
  retry,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';

const quick = { base: 1, jitter: 0 };

describe('retry', () => {
  it('a function of the code says after which errors to try again', async () => {
    const { flow, run } = bench();
    const codes: string[] = [];
    let attempts = 0;
    const on = (code: string): boolean => codes.push(code) < 3;
    flow.add(
      retry({ max: 9, backoff: quick, on }, (asi, attempt) => {
        attempts = attempt;
        asi.error(`E${attempt}`);
      }),
    );
    expect((await run())?.code).to.equal('E3');
    expect(attempts).to.equal(3);
    expect(codes).to.deep.equal(['E1', 'E2', 'E3']);
  });

  it('who is asked gets the very error, and may say in how many milliseconds to try again', async () => {
    const { flow, tool, run } = bench();
    const busy = (after: number) => Object.assign(new Error('busy'), { headers: { after } });
    const seen: unknown[] = [];
    const times: number[] = [];
    const on = (code: string, error: any): number | boolean => {
      seen.push(code, error);
      return error.headers?.after ?? code === 'Again';
    };
    flow.add(
      retry({ max: 9, backoff: quick, on }, async (asi, attempt) => {
        times.push(tool.now());
        if (attempt === 1) throw busy(20);
        if (attempt === 2) throw busy(0);
        asi.error(attempt === 3 ? 'Again' : 'Enough');
      }),
    );
    const { error } = (await run())!;
    expect(times).to.deep.equal([0, 20, 20, 24]);
    expect(seen[1]).to.have.property('message', 'busy');
    expect(seen[6]).to.equal('Enough');
    expect(seen[7]).to.equal(error);
  });

  it('what is neither true, false nor a time is a mistake in the program', async () => {
    for (const answer of ['120', null, {}, NaN, -1, Infinity, 5n]) {
      const { flow, run } = bench();
      flow.add(retry({ max: 3, on: () => answer as never }, (asi) => asi.error('Busy')));
      const { code, error } = (await run())! as any;
      expect(code, String(answer)).to.equal(errors.InternalError);
      expect(error.info).to.match(/^on: expected a finite number, 0 or more, got /);
      expect(error).to.have.nested.property('cause.code', 'Busy');
    }
  });

  it('errors of attempts that are not ours are found in also, and are otherwise as they were', async () => {
    const { flow, run } = bench();
    const thrown = [new Error('1'), new StepError('E2'), new Error('3'), new Error('4')];
    flow.add(
      retry({ max: 4, on: () => 0 }, (_asi, attempt) => {
        throw thrown[attempt - 1];
      }),
    );
    const { error } = (await run())! as any;
    expect(error).to.equal(thrown[3]);
    expect(error.cause).to.equal(undefined);
    expect(Object.keys(error)).to.deep.equal([]);
    expect(error.also).to.deep.equal([thrown[2]]);
    expect(error.also[0].also).to.deep.equal([thrown[1]]);
    expect(error.also[0].also[0].cause).to.equal(thrown[0]);
  });

  it('an error object that every attempt throws has nothing of itself in also', async () => {
    for (const same of [
      new Error('same'),
      Object.freeze(new Error('frozen')),
      new StepError('E'),
    ]) {
      const { flow, run } = bench();
      flow.add(
        retry({ max: 3, on: () => 0 }, () => {
          throw same;
        }),
      );
      const { error } = (await run())! as any;
      expect(error).to.equal(same);
      expect(error.cause).to.equal(undefined);
      expect(error.also ?? []).to.deep.equal([]);
    }
  });

  it('a connection of fetch that is refused is tried again', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    let attempts = 0;
    const flow = new AsyncSteps();
    flow.add(
      retry({ max: 3, backoff: { base: 0 } }, async () => {
        attempts++;
        await fetch(`http://127.0.0.1:${port}/`);
      }).onError((asi: IAsyncSteps, code) => asi.success(`${code} ${asi.state.error_info}`)),
    );
    expect(await flow.promise()).to.equal('ECONNREFUSED fetch failed');
    expect(attempts).to.equal(3);
  });

  it("an exception out of the function that is asked takes the error's place", async () => {
    const { flow, run } = bench();
    const thrown = new TypeError('asked');
    const on = (): boolean => {
      throw thrown;
    };
    flow.add(
      retry({ max: 3, on }, (asi) => asi.error('Busy')).onError((asi, code) => {
        expect(code).to.equal(errors.InternalError);
        expect(asi.state.last_exception).to.equal(thrown);
        asi.success();
      }),
    );
    expect((await run())?.kind).to.equal('ok');
  });

  it('the function that is asked may cancel the flow', async () => {
    const { flow, run } = bench();
    let attempts = 0;
    const on = (): boolean => {
      flow.cancel('enough');
      return true;
    };
    flow.add(
      retry({ max: 3, on }, (asi) => {
        attempts++;
        asi.error('Busy');
      }),
    );
    expect(await run()).to.include({ kind: 'cancelled', reason: 'enough' });
    expect(attempts).to.equal(1);
  });

  it("the handler isn't called if the function that is asked has cancelled the flow", async () => {
    const { flow, run } = bench();
    let handled = false;
    const on = (): boolean => {
      flow.cancel('enough');
      return false;
    };
    flow.add(
      retry({ max: 3, on }, (asi) => asi.error('Busy')).onError(() => {
        handled = true;
      }),
    );
    expect(await run()).to.include({ kind: 'cancelled', reason: 'enough' });
    expect(handled).to.equal(false);
  });

  it('errors of attempts are a chain of causes, foreign ones as they are', async () => {
    const { flow, run } = bench();
    const own = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    flow.add(
      retry({ max: 3, backoff: quick }, async (asi, attempt) => {
        if (attempt === 2) throw own;
        asi.error(`E${attempt}`);
      }),
    );
    const { error } = (await run())!;
    expect(error).to.include({ code: 'E3', path: '0/#2', cause: own });
    expect((error as StepError).also).to.deep.equal([]);
    expect(own.cause).to.equal(undefined);
  });

  it('bad options say what was expected and what came', () => {
    const { flow } = bench();
    const refused = (options: unknown) =>
      thrownBy(() => flow.add(retry(options as RetryOptions, () => {}))).info;
    expect(refused(undefined)).to.equal('retry: expected options, got undefined');
    expect(refused({})).to.equal(
      'retry: max: expected a whole number from 1 to 2^53 - 1, or Infinity, got undefined',
    );
    expect(refused({ max: 1, backoff: 5 })).to.equal('backoff: expected options, got 5');
    expect(refused({ max: 1, backoff: { jitter: '1' } })).to.equal(
      "jitter: expected a number from 0 to 1, got '1'",
    );
    expect(refused({ max: 1, on: 'Busy' })).to.equal(
      "on: expected codes or a function, got 'Busy'",
    );
    expect(refused({ max: 1, budget: 7 })).to.equal('budget: expected a RetryBudget, got 7');
    const { info } = thrownBy(() => flow.add(retry({ max: 1 }, null as never)));
    expect(info).to.equal('retry: expected a function as body, or a step, got null');
  });

  it('a budget counts thousandths of tokens and refuses bad options', () => {
    expect(new RetryBudget({ capacity: 3, ratio: 0.1 }).tokens()).to.equal(3);
    for (const options of [{ capacity: 0, ratio: 0 }, { capacity: 1, ratio: 2 }, { capacity: 1 }]) {
      const { code } = thrownBy(() => new RetryBudget(options as never));
      expect(code).to.equal(errors.InternalError);
    }
  });

  it('a thousand retries leave nothing behind in the flow', async () => {
    const { flow, run } = bench();
    const budget = new RetryBudget({ capacity: 2000, ratio: 0.0015 });
    flow.add(
      retry({ max: 1001, backoff: { base: 0 }, budget }, (asi, attempt) => {
        if (attempt <= 1000) asi.error('Busy');
      }),
    );
    expect((await run())?.kind).to.equal('ok');
    expect(budget.tokens()).to.equal(1000.002);
  });
});
