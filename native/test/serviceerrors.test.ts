import { expect } from 'chai';
import { AsyncSteps, type IFlow, type IOutcome, type Step, StepError, step } from 'steptree';
import { counts, load, offer, type Plugin } from '../ts/index.js';
import { builtPlugin, type Tried } from './plugin.js';

describe('errors of services for native steps', () => {
  let plugin: Plugin<Tried>;
  const outcomeOf = (flow: IFlow) => new Promise<IOutcome>((done) => flow.execute(done));
  const valuesOf = async (step: Step) => (await outcomeOf(new AsyncSteps().add(step))).values;
  const errorOf = async (step: Step): Promise<any> =>
    (await outcomeOf(new AsyncSteps().add(step))).error;
  const inPage = (inner: Step) => step((asi) => void asi.add(inner)).named('page');

  before(async () => {
    plugin = await load<Tried>(builtPlugin());
  });
  afterEach(() => expect(counts()).to.include({ calls: 0, waiting: 0, services: 0 }));

  const offerFailing = (name: string, error: unknown) =>
    offer(
      name,
      step((asi) => {
        asi.defer(() => {
          throw new StepError('Later', 'in a cleanup');
        });
        asi.add(() => {
          throw error;
        });
      }).named('db'),
    );

  it('come with what has failed later, whose paths begin at the root, too', async () => {
    offerFailing('fails', new StepError('Main', 'first'));
    const error = await errorOf(inPage(plugin.step('ask', 'fails')));
    expect([error.code, error.path]).to.deep.equal(['Main', 'page/tried.ask/fails/db/0']);
    expect(error.also.map(({ code, path }: StepError) => [code, path])).to.deep.equal([
      ['Later', 'page/tried.ask/fails/db/~0'],
    ]);
  });

  it('that are foreign do that, too', async () => {
    const thrown = new RangeError('first');
    offerFailing('throws', thrown);
    const error = await errorOf(inPage(plugin.step('ask', 'throws')));
    expect(error).to.equal(thrown);
    expect(StepError.of(error)!.path).to.equal('page/tried.ask/throws/db/0');
    for (const { also } of [error, StepError.of(error)])
      expect(also.map(({ path }: StepError) => path)).to.deep.equal([
        'page/tried.ask/throws/db/~0',
      ]);
  });

  it('that native steps wrap are their causes, with the whole path', async () => {
    offerFailing('fails', new StepError('Main', 'first'));
    const error = await errorOf(inPage(plugin.step('wraps', 'fails')));
    expect([error.code, error.path]).to.deep.equal(['Wrapped', 'page/tried.wraps/1']);
    const { cause } = error;
    expect([cause.code, cause.path]).to.deep.equal(['Main', 'page/tried.wraps/1/fails/db/0']);
    expect(cause.also.map(({ code }: StepError) => code)).to.deep.equal(['Later']);
  });

  it('go through several native steps and services', async () => {
    offerFailing('bottom', new StepError('Main'));
    offer(
      'middle',
      step((asi) => void asi.add(plugin.step('ask', 'bottom'))),
    );
    const error = await errorOf(inPage(plugin.step('ask', 'middle')));
    const path = 'page/tried.ask/middle/0/tried.ask/bottom/db';
    expect([error.path, error.also[0].path]).to.deep.equal([`${path}/0`, `${path}/~0`]);
  });

  it('have causes, whose paths begin at the root, unless they are of others', async () => {
    const kept = new StepError('Kept');
    offer(
      'handles',
      step((asi) => {
        asi.add(
          () => {
            throw new StepError('Inner');
          },
          () => {
            throw new StepError('Outer', '', undefined);
          },
        );
      }).named('db'),
    );
    const error = await errorOf(inPage(plugin.step('ask', 'handles')));
    expect([error.cause.code, error.cause.path]).to.deep.equal([
      'Inner',
      'page/tried.ask/handles/db/0',
    ]);
    await outcomeOf(
      new AsyncSteps().add(() => {
        throw kept;
      }),
    );
    for (const _ of [1, 2]) {
      offerFailing('gives', new StepError('Main', '', kept));
      expect((await errorOf(inPage(plugin.step('ask', 'gives')))).cause).to.equal(kept);
      expect(kept.path).to.equal('0');
    }
  });

  it('have the causes for native handlers that they have', async () => {
    const outer = new Error('outer', { cause: new StepError('Middle', 'm', new Error('inner')) });
    const cases: [unknown, string[]][] = [
      [new StepError('Gone', 'it is'), []],
      [outer, ['Middle', 'm', 'InternalError', 'inner']],
      [new Error('outer', { cause: 'text' }), ['InternalError', 'text']],
    ];
    for (const [thrown, causes] of cases) {
      offer(
        'throws',
        step(() => {
          throw thrown;
        }),
      );
      expect(await valuesOf(plugin.step('causes', 'throws'))).to.deep.equal(causes);
    }
    offer('waits', step((asi) => void asi.waitExternal()).timeout(5));
    expect(await valuesOf(plugin.step('causes', 'waits'))).to.deep.equal([]);
  });
});
