// Kinds that have a body of their own, take time to stop, or have lines inside.

import { expect } from 'chai';
import type { StepError } from '../src/error.js';
import { type Body, type IAsyncSteps, VirtualTool } from '../src/index.js';
import { ENDED, type HostedLine, type Hosts, PENDING, READY } from '../src/kind.js';
import { Branch } from '../src/branches.js';
import {
  BODY,
  BRANCH,
  CLOSED,
  EXITS,
  FAILS,
  FREE,
  HOSTS,
  OPENS,
  OWED,
  QUEUED,
  ROUNDS,
} from '../src/phase.js';
import { turn } from '../src/run.js';
import { giveBody, Step } from '../src/step.js';
import { clearResults } from '../src/results.js';
import { append, Closing, type Line, open, openInner, type Owner } from '../src/tree.js';
import { unwind } from '../src/unwind.js';
import { bench } from './bench.js';
import { LoggedKind } from './loggedkind.js';

const fails = (code: string): Body => {
  return (asi) => void asi.add((inner) => inner.error(code));
};
const waits: Body = (asi) => void asi.waitExternal();

/** It has a body of its own, says what it's asked, and is a loop without rounds: `break` finds it. */
class Watched extends LoggedKind {
  readonly label = 'watched';

  open(line: Line, step: Step): number {
    open(line, step, BODY);
    giveBody(step, this.body);
    return READY;
  }

  next(line: Line): number {
    this.log.push(`next ${line.results}`);
    return ENDED;
  }

  failed(_step: Step, error: StepError): StepError {
    this.log.push(`failed ${error.code}`);
    return error;
  }
}

/** What a flow with a watched step logs. */
async function watch(body: Body, bits = 0): Promise<string[]> {
  const log: string[] = [];
  const { flow, tool, told, run } = bench();
  const asked = OPENS | ROUNDS | FAILS | EXITS | bits;
  const caught = (_asi: IAsyncSteps, code: string) => void log.push(`caught ${code}`);
  append(flow as unknown as Owner, asked, new Watched(body, log), caught, 'name');
  flow.add((_asi, ...values) => void log.push(`then ${values.join()}`));
  tool.deferred(5, () => flow.cancel());
  const { kind, error } = (await run())!;
  return [...log, ...told, error === undefined ? kind : (error as StepError).path];
}

describe('kind with a body', () => {
  it('is asked when that has ended', async () => {
    const ended = ['next 0', 'closed', 'then ', 'ok'];
    expect(await watch(() => {}, OWED)).to.deep.equal(ended);
    expect(await watch((asi) => void asi.add(() => {}), OWED)).to.deep.equal(ended);
    expect(await watch(async () => {}, OWED)).to.deep.equal(ended);
    expect(await watch((asi) => asi.success(1))).to.deep.equal(['next 1', 'then 1', 'ok']);
  });

  it('is asked when an external event has ended it', async () => {
    const external: Body = (asi) => {
      const completion = asi.waitExternal();
      queueMicrotask(() => completion.success(1));
    };
    expect(await watch(external, OWED)).to.deep.equal(['next 1', 'closed', 'then 1', 'ok']);
  });

  it('is asked when that has failed', async () => {
    const failed = ['left', 'failed E', 'caught E', 'closed', 'name'];
    expect(await watch((asi) => asi.error('E'), OWED)).to.deep.equal(failed);
    const rejects: Body = async (asi) => asi.error('E');
    expect(await watch(rejects, OWED)).to.deep.equal(failed);
    expect(await watch(fails('E'))).to.deep.equal([...failed.slice(0, 3), 'name/0']);
  });

  it('is asked when a cancel comes while that waits', async () => {
    const left = ['left', 'closed', 'cancelled'];
    expect(await watch(waits, OWED)).to.deep.equal(left);
    expect(await watch(() => new Promise(() => {}), OWED)).to.deep.equal(left);
    expect(await watch((asi) => void asi.add(waits), OWED)).to.deep.equal(left);
  });

  it('is found by break', async () => {
    const body: Body = (asi) => void asi.add((inner) => inner.break('watched'));
    expect(await watch(body)).to.deep.equal(['left', 'then ', 'ok']);
  });
});

/** What it has begun takes so long to stop. It owes nothing, though it could. */
class Slow extends Watched {
  private stops = 0;
  private readonly ms: number;
  private readonly tool: VirtualTool;

  constructor(body: Body, log: string[], ms: number, tool: VirtualTool) {
    super(body, log);
    this.ms = ms;
    this.tool = tool;
  }

  override exit(): unknown {
    super.exit();
    if (++this.stops > 1) return undefined;
    return new Promise<void>((resolve) => {
      this.tool.deferred(this.ms, () => {
        this.log.push('stopped');
        resolve();
      });
    });
  }
}

/** What a flow logs whose step takes 5 ms to stop what it has begun. */
async function stop(body: Body, grace = 50, tool = new VirtualTool()): Promise<string[]> {
  const log: string[] = [];
  const { flow, told } = bench({ grace, tool });
  append(flow as unknown as Owner, OPENS | FAILS | EXITS, new Slow(body, log, 5, tool), null);
  tool.deferred(10, () => flow.cancel());
  flow.execute(({ kind }) => log.push(`${kind} ${tool.now()}`));
  await tool.run();
  return [...log, ...told];
}

describe('kind whose exit takes time', () => {
  it('is left once more when that is over, and asked for nothing that it does not owe', async () => {
    const stopped = ['left', 'stopped', 'left'];
    expect(await stop(waits)).to.deep.equal([...stopped, 'cancelled 15']);
    expect(await stop(fails('E'))).to.deep.equal([...stopped, 'failed E', 'error 5']);
  });

  it('stops what its body awaits at the same time', async () => {
    const tool = new VirtualTool();
    const stopped = () => new Promise<void>((resolve) => tool.deferred(7, resolve));
    const body: Body = () => Object.assign(new Promise(() => {}), { cancel: stopped });
    const both = ['left', 'stopped', 'left', 'cancelled 17'];
    expect(await stop(body, 50, tool)).to.deep.equal(both);
  });

  it('is closed when the grace is over', async () => {
    const late = ['left', 'left', 'cancelled 13', 'stopped', 'report Timeout'];
    expect(await stop(waits, 3)).to.deep.equal(late);
  });

  it('owes nothing when its body has deferred something', async () => {
    const body: Body = (asi) => {
      asi.defer(() => {});
      asi.error('E');
    };
    const left = ['left', 'stopped', 'left', 'failed E', 'error 5'];
    expect(await stop(body)).to.deep.equal(left);
  });
});

/** Runs a line for each body, and ends with the first that ends. */
class First implements Hosts {
  first: Branch | null = null;
  active = 0;
  closing: Closing | null = null;
  private readonly bodies: readonly Body[];

  constructor(bodies: readonly Body[]) {
    this.bodies = bodies;
  }

  open(line: Line, step: Step): number {
    openInner(line, step);
    let last: Branch | null = null;
    for (const body of this.bodies) {
      const lane = new Lane(step);
      const inner = new Step(BRANCH | QUEUED, body, this.active++);
      inner.link = lane.tail = inner;
      if (last === null) this.first = lane;
      else last.sibling = lane;
      last = lane;
      line.flow.settings.tool.enqueue(lane);
    }
    return PENDING;
  }

  stop(): null {
    return null;
  }

  branchLeft(lane: HostedLine): number {
    lane.bits = CLOSED;
    clearResults(lane);
    return --this.active;
  }

  branchFailed({ host }: HostedLine, error: StepError): Closing {
    return new Closing(host, error);
  }
}

class Lane extends Branch {
  override turn(): void {
    turn(this);
  }

  override end(): void {
    const { host } = this;
    (host.work as First).branchLeft(this);
    unwind(host.line, null, new Closing(host, null), null);
  }
}

describe('kind with lines inside', () => {
  function start(...bodies: Body[]) {
    const { flow, tool, run } = bench();
    const owner = flow as unknown as Owner;
    append(owner, OPENS | FREE | HOSTS, new First(bodies), null, 'first');
    return { flow, tool, run };
  }

  it('ends with the first that ends', async () => {
    const log: string[] = [];
    const { flow, run } = start(
      (asi) => {
        asi.setCancel(() => log.push('cancelled'));
        asi.waitExternal();
      },
      (asi) => void asi.add(() => log.push('ended')),
    );
    flow.add(() => log.push('then'));
    expect((await run())?.kind).to.equal('ok');
    expect(log).to.deep.equal(['ended', 'cancelled', 'then']);
  });

  it('fails with the first that fails', async () => {
    const { error } = (await start(waits, fails('E')).run())!;
    expect(error).to.include({ code: 'E', path: 'first/|1/0' });
  });

  it('is closed by a cancel with all of them', async () => {
    const { flow, tool, run } = start(waits, waits);
    tool.deferred(5, () => flow.cancel());
    expect((await run())?.kind).to.equal('cancelled');
  });
});
