import { expect } from 'chai';
import { type ICompletion, StepError, errors } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

const codesOf = (also: unknown) => (also as StepError[]).map(({ code }) => code);

describe('error', () => {
  it('an error keeps the code, info and cause that it was given', async () => {
    const { flow, run } = bench();
    const cause = { any: 'thing' };
    flow.add((asi) => asi.error('E', 'why', cause));
    const { error } = (await run()) as { error: StepError };
    expect([error.code, error.info, error.cause]).to.deep.equal(['E', 'why', cause]);
  });

  it('an error with a cause of its own keeps it in a handler', async () => {
    const { flow, run } = bench();
    flow.add(
      (asi) => asi.error('First'),
      (asi) => asi.error('Second', '', 'mine'),
    );
    const { cause, also } = (await run())!.error as StepError;
    expect([cause, codesOf(also)]).to.deep.equal(['mine', ['First']]);
  });

  it('an error that is given what it replaces as its cause has nothing else', async () => {
    const { flow, run } = bench();
    flow.add(
      (asi) => asi.error('First'),
      (asi) => asi.error('Second', '', asi.state.last_exception),
    );
    const { cause, also } = (await run())!.error as StepError;
    expect([(cause as StepError).code, also]).to.deep.equal(['First', []]);
  });

  it('what a mistake in a handler has replaced is found, and the exception is as it was', async () => {
    const mistake = new TypeError('mistake');
    for (const thrown of [mistake, Object.freeze(new RangeError('frozen'))]) {
      const { flow, run } = bench();
      flow.add(
        (asi) => asi.error('First'),
        () => {
          throw thrown;
        },
      );
      const { error } = (await run())!;
      expect(error).to.equal(thrown);
      expect(codesOf(StepError.of(error)!.also)).to.deep.equal(['First']);
      expect(thrown.cause).to.equal(undefined);
    }
    expect(codesOf((mistake as unknown as StepError).also)).to.deep.equal(['First']);
  });

  it('an error raised in a handler has the replaced one as its cause', async () => {
    const { flow, run } = bench();
    flow.add(
      () => {
        throw new RangeError('first');
      },
      (asi) => asi.error('Second'),
    );
    expect(((await run())!.error as StepError).cause).to.be.instanceOf(RangeError);
  });

  it('a handler that throws the very error again leaves it as it was', async () => {
    const { flow, run } = bench();
    flow.add(
      (asi) => asi.error('E'),
      (asi) => {
        throw asi.state.last_exception;
      },
    );
    const { code, cause } = (await run())!.error as StepError;
    expect([code, cause]).to.deep.equal(['E', undefined]);
  });

  it('what a handler returns is ignored, unless it could be awaited', async () => {
    const returned: [unknown, string][] = [
      [5, 'E'],
      ['text', 'E'],
      [{}, 'E'],
      [null, 'E'],
      [Promise.resolve(), 'InternalError'],
    ];
    for (const [value, code] of returned) {
      const { flow, run } = bench();
      flow.add(
        (asi) => asi.error('E'),
        () => value as never,
      );
      expect((await run())?.code).to.equal(code);
    }
  });

  it('its stack can be set, also twice, as that of any error', () => {
    const error = new StepError('E');
    for (const text of ['first', 'second']) {
      error.stack = text;
      expect(error.stack).to.equal(text);
    }
  });

  it('the report hook is told the very error that was thrown', async () => {
    const thrown = new StepError('Late');
    const told: unknown[] = [];
    const { flow, run } = bench({ report: (_code, _info, exception) => told.push(exception) });
    flow.add((asi) => {
      asi.setCancel(() => {
        throw thrown;
      });
      asi.error('E');
    });
    await run();
    expect(told).to.have.length(1);
    expect(told[0] === thrown).to.equal(true);
  });

  it('a StepError carries code, info, path, cause and also', async () => {
    const { flow, run } = bench();
    flow
      .add(() => {})
      .add((asi) => {
        const branches = asi.parallel();
        branches.add((branch) => {
          branch.setTimeout(5);
          branch.waitExternal();
        });
        branches.add((branch) => {
          const done = branch.waitExternal();
          branch.newInstance();
          flow.settings.tool.deferred(5, () => done.error('Late', 'l'));
        });
      });
    const { error } = (await run()) as { error: StepError };
    expect(error).to.be.instanceOf(StepError);
    expect([error.code, error.info, error.path]).to.deep.equal(['Timeout', '', '1/0/|0']);
    expect(error.cause).to.equal(undefined);
    expect(error.also).to.deep.equal([]);
  });

  it('errors that come too late for a closing are in also, in their order', async () => {
    const { flow, run } = bench();
    const done: { error(code: string): boolean }[] = [];
    flow.add((asi) => {
      const branches = asi.parallel();
      for (let i = 0; i < 3; i++) branches.add((branch) => void done.push(branch.waitExternal()));
    });
    flow.settings.tool.deferred(1, () => {
      for (const i of [1, 2, 0]) done[i]!.error(`E${i}`);
    });
    const { error } = (await run()) as { error: StepError };
    expect(error.code).to.equal('E1');
    expect(error.also.map((each) => (each as StepError).code)).to.deep.equal(['E2', 'E0']);
  });

  it('an error that is thrown in another flow has its earlier also there', async () => {
    const { flow, run } = bench();
    let late: ICompletion;
    flow
      .parallel()
      .add((asi) => {
        late = asi.waitExternal();
      })
      .add((asi) => {
        late.error('Second');
        asi.error('First');
      });
    const error = (await run())!.error as StepError;
    const other = bench();
    other.flow.add(() => {
      throw error;
    });
    const again = (await other.run())!.error as StepError;
    for (const each of [error, again]) {
      expect(each.code).to.equal('First');
      expect(each.also.map((later) => (later as StepError).code)).to.deep.equal(['Second']);
    }
  });

  it('a foreign exception shows also as a StepError does', async () => {
    const { flow, run } = bench();
    flow.add((asi) => {
      asi
        .parallel()
        .await(Promise.reject(new Error('first')))
        .await(Promise.reject(new Error('second')));
    });
    const { error } = (await run()) as { error: { message: string; also: Error[] } };
    expect(error.message).to.equal('first');
    expect(error.also.map((each) => each.message)).to.deep.equal(['second']);
  });

  it('a StepError is an Error that prints its code and its place in the tree', async () => {
    const { flow, run } = bench();
    flow.add((asi) => asi.error('E', 'why'), undefined, 'named');
    const { error } = (await run()) as { error: StepError };
    expect(error).to.be.instanceOf(Error);
    expect(String(error)).to.equal('StepError: E: why');
    expect(error.stack).to.equal('StepError: E: why\n    at step named');
    expect(error.name).to.equal('StepError');
    expect(error.message).to.equal('E: why');
    expect(new StepError('E').message).to.equal('E');
    expect(JSON.parse(JSON.stringify(error))).to.deep.equal({
      name: 'StepError',
      message: 'E: why',
      code: 'E',
      info: 'why',
      path: 'named',
    });
  });

  it('a StepError that is thrown again keeps its identity', async () => {
    const { flow, run } = bench();
    const own = new StepError('Own', 'i');
    flow.add(
      () => {
        throw own;
      },
      (asi) => {
        expect(asi.state.last_exception).to.equal(own);
        throw own;
      },
    );
    const outcome = await run();
    expect(outcome?.error).to.equal(own);
    expect(outcome?.code).to.equal('Own');
    expect(own.cause).to.equal(undefined);
    expect(own.path).to.equal('0');
  });

  it('a StepError that comes from elsewhere is one of the same class with the same fields', async () => {
    class Refused extends StepError {
      status = 403;
    }
    const refused = Object.freeze(new Refused('Refused', 'why', 'cause'));
    const shown: unknown[] = [];
    const { tool, flow, run } = bench();
    for (const each of [flow, flow.newInstance()]) {
      each.await(Promise.reject(refused), (asi) => {
        shown.push(asi.state.last_exception);
        throw asi.state.last_exception;
      });
      if (each !== flow)
        each.execute((outcome) => shown.push((outcome as { error: unknown }).error));
    }
    const { error } = (await run()) as { error: unknown };
    await tool.run();
    const [first, second, last] = shown as Refused[];
    expect([error === second, last === first]).to.deep.equal([true, true]);
    expect(first).not.to.equal(second);
    for (const each of [first!, second!]) {
      expect(each).to.be.instanceOf(Refused);
      expect(each).to.include({
        code: 'Refused',
        info: 'why',
        cause: 'cause',
        status: 403,
        path: '0',
      });
    }
    expect(refused.path).to.equal('');
  });

  it('the constants are those of the table of codes', () => {
    expect(errors.InternalError).to.equal('InternalError');
    for (const [name, code] of Object.entries(errors)) expect(code).to.equal(name);
    expect(thrownBy(() => bench().flow.add(5 as never)).code).to.equal(errors.InternalError);
  });
});
