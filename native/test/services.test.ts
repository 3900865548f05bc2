import { expect } from 'chai';
import {
  AsyncSteps,
  type IAsyncSteps,
  type IFlow,
  type IOutcome,
  run,
  type Step,
  step,
  StepError,
  steps,
} from 'steptree';
import { counts, load, offer, type Plugin, withdraw } from '../ts/index.js';
import { builtPlugin, type Tried } from './plugin.js';

describe('services for native steps', () => {
  let plugin: Plugin<Tried>;
  let path: string;
  const outcomeOf = (flow: IFlow) => new Promise<IOutcome>((done) => flow.execute(done));
  const errorOf = async (step: Step): Promise<any> =>
    (await outcomeOf(new AsyncSteps().add(step))).error;
  const turn = () => new Promise(setImmediate);

  before(async () => {
    path = builtPlugin();
    plugin = await load<Tried>(path);
  });
  afterEach(() => expect(counts()).to.include({ calls: 0, waiting: 0, services: 0 }));

  it('get values, and leave theirs', async () => {
    offer(
      'swap',
      step((asi, a, b) => asi.success(b as any, a)),
    );
    const bytes = Buffer.from('bytes');
    const { values } = await outcomeOf(
      new AsyncSteps().add(plugin.step('ask', 'swap', bytes, { list: [1, 'two', null] })),
    );
    expect(values).to.deep.equal([{ list: [1, 'two', null] }, bytes]);
  });

  it('may wait, and add steps', async () => {
    offer(
      'twice',
      steps(
        async (_: IAsyncSteps, n: number) => {
          await turn();
          return 2 * n;
        },
        (asi: IAsyncSteps, n: number) => void asi.add(() => n + 1),
      ) as any,
    );
    expect(await run(plugin.step('ask', 'twice', 20))).to.equal(41);
  });

  it('call native steps that call services', async () => {
    offer(
      'down',
      step((asi, n: number) => {
        if (n > 0) asi.add(plugin.step('ask', 'down', n - 1));
        else asi.success('bottom');
      }),
    );
    expect(await run(plugin.step('ask', 'down', 5))).to.equal('bottom');
  });

  it('that call each other in a ring fail', async () => {
    let calls = 0;
    offer(
      'ring',
      step((asi) => {
        calls += 1;
        asi.add(plugin.step('ask', 'ring'));
      }),
    );
    const { code, info } = await errorOf(plugin.step('ask', 'ring'));
    expect([code, info, calls]).to.deep.equal([
      'InternalError',
      "service 'ring': it is called inside of 256 calls of services",
      256,
    ]);
  });

  it('that nobody offers fail with NoService', async () => {
    const error = await errorOf(plugin.step('ask', 'nobody'));
    expect([error.code, error.path]).to.deep.equal(['NoService', 'tried.ask/nobody']);
    offer('gone', steps());
    await run(plugin.step('ask', 'gone'));
    withdraw('gone');
    withdraw('gone');
    expect((await errorOf(plugin.step('ask', 'gone'))).code).to.equal('NoService');
  });

  it('are refused at the call if they are none', () => {
    expect(() => offer('', steps())).to.throw("offer: expected a name, got ''");
    expect(() => offer('x', (() => {}) as any)).to.throw(
      'offer: expected a step value for "x", got function',
    );
  });

  it('fail with code, info, the joined path and what is behind it', async () => {
    const cause = new RangeError('no such user');
    offer(
      'find',
      step((asi) => {
        asi.add(
          () => {
            throw new StepError('NotFound', 'no Ada', cause);
          },
          undefined,
          'query',
        );
      }).named('db'),
    );
    const page = new AsyncSteps();
    page.add((asi) => asi.add(plugin.step('ask', 'find')), undefined, 'page');
    const { error } = (await outcomeOf(page)) as { error: any };
    expect(error).to.be.instanceOf(StepError);
    expect([error.code, error.info, error.path]).to.deep.equal([
      'NotFound',
      'no Ada',
      'page/tried.ask/find/db/query',
    ]);
    expect(error.cause).to.equal(cause);
    const careful = plugin.step('careful', 'find');
    expect((await outcomeOf(new AsyncSteps().add(careful))).values).to.deep.equal([
      'NotFound',
      'no Ada',
    ]);
  });

  it('give on what they have thrown', async () => {
    const thrown = Object.assign(new RangeError('too far'), { code: 'ERANGE' });
    offer(
      'throws',
      step(() => {
        throw thrown;
      }),
    );
    const error = await errorOf(plugin.step('ask', 'throws'));
    expect(error).to.equal(thrown);
    expect(StepError.of(error)?.path).to.equal('tried.ask/throws/0');
  });

  it("see the deadlines around, whose owner's error comes", async () => {
    let left = 0;
    offer(
      'slow',
      step((asi) => {
        left = asi.remaining();
        asi.waitExternal();
      }),
    );
    const error = await errorOf(plugin.step('ask', 'slow').named('page').timeout(30));
    expect([error.code, error.path]).to.deep.equal(['Timeout', 'page']);
    expect(left).to.be.within(1, 31);
  });

  it('are cancelled with the native step, before that returns', async () => {
    const told: string[] = [];
    offer(
      'waits',
      step((asi) => {
        asi.setCancel(() => void told.push('cancelled'));
      }),
    );
    const flow = new AsyncSteps().add(plugin.step('ask', 'waits'));
    const ended = outcomeOf(flow);
    await turn();
    flow.cancel();
    expect(told).to.deep.equal(['cancelled']);
    expect((await ended).kind).to.equal('cancelled');
    await flow.closed();
  });

  it('have cleanups, which are waited for', async () => {
    const told: string[] = [];
    offer(
      'cleans',
      step((asi) => {
        asi.defer(async () => {
          await turn();
          await turn();
          told.push('cleaned');
        });
        asi.waitExternal();
      }),
    );
    const flow = new AsyncSteps().add(plugin.step('ask', 'cleans'));
    const ended = outcomeOf(flow);
    await turn();
    flow.cancel();
    expect(counts().services).to.equal(1);
    await ended;
    await flow.closed();
    expect(told).to.deep.equal(['cleaned']);
  });

  it('that are cancelled before they have begun do not begin', async () => {
    let begun = false;
    offer(
      'never',
      step(() => {
        begun = true;
      }),
    );
    const flow = new AsyncSteps().add((asi) => {
      asi.add(plugin.step('ask', 'never'));
      asi.add(() => {});
    });
    flow.execute();
    queueMicrotask(() => queueMicrotask(() => flow.cancel()));
    await turn();
    await turn();
    expect(counts().services).to.equal(0);
    expect(typeof begun).to.equal('boolean');
  });

  it('have the state of the flow whose step has called', async () => {
    offer(
      'user',
      step((asi) => asi.success(asi.state['user'])),
    );
    const flow = new AsyncSteps();
    flow.state['user'] = 'Ada';
    flow.add(plugin.step('ask', 'user'));
    expect((await outcomeOf(flow)).values).to.deep.equal(['Ada']);
  });

  it('leave what native steps can not have, which is their error', async () => {
    offer(
      'map',
      step((asi) => asi.success(new Map([[1, 2]]) as any)),
    );
    const error = await errorOf(plugin.step('ask', 'map'));
    expect([error.code, error.info]).to.deep.equal([
      'InternalError',
      "a native step can't have an object that has no names of its own, such as a Map or a Date",
    ]);
  });

  it('are taken by what is loaded in the place of a plug-in', async () => {
    offer(
      'one',
      step((asi) => asi.success(1)),
    );
    plugin = await load<Tried>(path);
    expect(await run(plugin.step('ask', 'one'))).to.equal(1);
    offer(
      'one',
      step((asi) => asi.success(2)),
    );
    expect(await run(plugin.step('ask', 'one'))).to.equal(2);
  });
});
