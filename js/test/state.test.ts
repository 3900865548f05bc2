import { expect } from 'chai';
import { AsyncSteps, type IAsyncSteps, type State } from '../src/index.js';
import { bench } from './bench.js';

describe('state', () => {
  it('error views are undefined while no error passes', async () => {
    const { flow, run } = bench();
    const seen: unknown[] = [];
    const look = (asi: { state: any }) => {
      const { error_info, last_exception, async_stack } = asi.state;
      seen.push([error_info, last_exception, async_stack]);
    };
    flow.add(look);
    flow.add(
      (asi) => asi.error('E'),
      (asi) => asi.success(),
    );
    flow.add(look);
    await run();
    look(flow);
    const absent = [undefined, undefined, undefined];
    expect(seen).to.deep.equal([absent, absent, absent]);
  });

  it('error views are undefined when the last cancel handler that an error passed has returned', async () => {
    const { flow, run } = bench();
    const seen: unknown[] = [];
    const look = () => seen.push(flow.state.error_info);
    flow.add((asi) => {
      asi.setCancel(look);
      asi.add((inner) => inner.error('E', 'why'));
    });
    expect((await run())?.code).to.equal('E');
    look();
    expect(seen).to.deep.equal(['why', undefined]);
  });

  it('error views belong to one flow, also while another flow runs inside its handler', async () => {
    const { tool, flow, run } = bench();
    const mine = { kind: 'of the program' };
    const other = new AsyncSteps({ tool, state: mine });
    const views = (state: State) => [state.error_info, state.last_exception, state.async_stack];
    const absent = [undefined, undefined, undefined];
    const seen: unknown[] = [];
    other.add((asi) => asi.setCancel(() => seen.push(views(asi.state), flow.state.error_info)));
    other.execute();
    flow.add(
      (asi) => asi.error('E', 'why'),
      (asi) => {
        seen.push(views(other.state));
        other.cancel();
        seen.push(asi.state.error_info);
        asi.success();
      },
    );
    await run();
    expect(seen).to.deep.equal([absent, absent, 'why', 'why']);
  });

  it('flows that share a state object each show their error in it', async () => {
    const { tool, flow, run } = bench();
    const seen: unknown[] = [];
    const handler = (asi: IAsyncSteps) => {
      seen.push([flow.state.error_info, asi.state.error_info]);
      asi.success();
    };
    const inner = new AsyncSteps({ tool, state: flow.state });
    inner.add((asi) => asi.error('E', 'inner'), handler);
    inner.execute();
    flow.add((asi) => asi.error('E', 'outer'), handler);
    await run();
    expect(seen).to.deep.equal([
      ['inner', 'inner'],
      ['outer', 'outer'],
    ]);
  });
});
