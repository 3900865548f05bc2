/** The states of a breaker while a server is down for a while. */
import {
  Breaker,
  type BreakerState,
  type IAsyncSteps,
  type IOutcome,
  sync,
  VirtualTool,
} from 'steptree';
import type { Bar, Dot, DotKind, Picture } from './picture.js';

const server = { downFrom: 20, downTo: 75, takes: 8 };
const callEvery = 5;
const calls = 25;

function kindOf({ code }: IOutcome): DotKind {
  if (code === undefined) return 'admitted';
  return code === 'DefenseRejected' ? 'refused' : 'failed';
}

/** One bar for each time that it is in a state. */
class States {
  readonly bars: Bar[] = [];

  /** It is in that state from then on. */
  see(at: number, kind: BreakerState): void {
    const last = this.bars.pop();
    if (last !== undefined) this.bars.push({ ...last, to: at });
    if (last?.kind !== kind) this.bars.push({ from: at, to: at, kind });
  }
}

export async function breaker(): Promise<Picture> {
  const tool = new VirtualTool();
  const guard = new Breaker({ calls: 4, openFor: 30 });
  const isDown = () => tool.now() > server.downFrom && tool.now() < server.downTo;
  const ask = sync(guard, (asi: IAsyncSteps) => {
    const completion = asi.waitExternal();
    tool.deferred(server.takes, () =>
      isDown() ? completion.error('ECONNREFUSED') : completion.success(),
    );
  });
  const dots: Dot[] = [];
  const states = new States();
  for (let i = 0; i < calls; i++) {
    const told = (outcome: IOutcome) => void dots.push({ at: tool.now(), kind: kindOf(outcome) });
    tool.deferred(i * callEvery, () => tool.start(ask, { done: told }));
  }
  for (let ms = 0; ms <= calls * callEvery; ms++) {
    states.see(tool.now(), guard.state);
    await tool.advance(1);
  }
  const none = { depth: 0, dots: [], badges: [] };
  return {
    name: 'breaker',
    title: 'The states of a breaker',
    panels: [
      {
        title: 'new Breaker({ calls: 4, openFor: 30 })',
        rows: [
          { ...none, name: 'the breaker is', bars: states.bars },
          { ...none, name: 'calls end', bars: [], dots },
        ],
        moments: [],
      },
    ],
    columns: 1,
    every: 10,
    names: 110,
    ends: 16,
    legend: new Map([
      ['closed', 'closed'],
      ['open', 'open'],
      ['halfOpen', 'half-open'],
      ['admitted', 'the server answers'],
      ['failed', 'the server is down'],
      ['refused', 'the breaker refuses'],
    ]),
  };
}
