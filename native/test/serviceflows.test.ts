import { expect } from 'chai';
import {
  AsyncSteps,
  defaultTool,
  type IFlow,
  type IOutcome,
  type Step,
  StepError,
  snapshot,
  step,
  VirtualTool,
} from 'steptree';
import { counts, load, offer, type Plugin } from '../ts/index.js';
import { builtPlugin, type Tried } from './plugin.js';

describe('flows of services for native steps', () => {
  let plugin: Plugin<Tried>;
  const outcomeOf = (flow: IFlow) => new Promise<IOutcome>((done) => flow.execute(done));
  const errorOf = async (step: Step): Promise<any> =>
    (await outcomeOf(new AsyncSteps().add(step))).error;
  const inPage = (inner: Step) => step((asi) => void asi.add(inner)).named('page');
  const turn = () => new Promise(setImmediate);

  before(async () => {
    plugin = await load<Tried>(builtPlugin());
  });
  afterEach(() => expect(counts()).to.include({ calls: 0, waiting: 0, services: 0 }));

  it('that have timed out say what has waited, from the root', async () => {
    const waiting = step(
      (asi) => void asi.add((inner) => void inner.waitExternal(), undefined, 'io'),
    );
    offer('slow', waiting.named('db').timeout(60));
    const within = await errorOf(inPage(plugin.step('ask', 'slow')));
    expect(within.waits).to.match(/^page\/tried\.ask\/slow\/db\/io step: waits for /);
  });

  it('that can not begin have failed', async () => {
    const broken = Object.assign(Object.create(step(() => {})), {
      timeout() {
        throw new StepError('Broken', 'no timeout');
      },
    });
    offer('broken', broken);
    const error = await errorOf(plugin.step('ask', 'broken').timeout(1000));
    expect([error.code, error.info]).to.deep.equal(['Broken', 'no timeout']);
  });

  it('are on the tool of the last call if a flow of the plug-in calls', async () => {
    const tool = new VirtualTool();
    const seen: unknown[] = [];
    offer(
      'notes',
      step((asi) => {
        seen.push(
          snapshot(tool).flows.map(({ name }) => name),
          Object.keys(asi.state),
        );
      }),
    );
    const flow = new AsyncSteps({ tool, name: 'web', state: { user: 'Ada' } });
    flow.add(plugin.step('alone', 'notes'));
    flow.execute();
    await tool.run();
    for (let i = 0; i < 50 && seen.length === 0; i++) {
      await turn();
      await tool.run();
    }
    expect(seen).to.deep.equal([['notes'], []]);
  });

  it('have the name of the service', async () => {
    offer(
      'users.find',
      step((asi) => void asi.waitExternal()),
    );
    const flow = new AsyncSteps().add(plugin.step('ask', 'users.find'));
    const ended = outcomeOf(flow);
    await turn();
    expect(snapshot(defaultTool).flows.map(({ name }) => name)).to.include('users.find');
    flow.cancel();
    await ended;
    await flow.closed();
  });
});
