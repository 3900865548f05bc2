import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import {
  AsyncSteps,
  AsyncTool,
  Channel,
  delay,
  type FlowSnapshot,
  type IAsyncSteps,
  type LineSnapshot,
  Mutex,
  observe,
  parallel,
  run,
  Scope,
  type Snapshot,
  snapshot,
  step,
  steps,
  VirtualTool,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';

const schema = JSON.parse(
  readFileSync(new URL('../../spec/snapshot.schema.json', import.meta.url), 'utf8'),
);
const check = new Ajv2020().compile(schema);

const wait = (asi: IAsyncSteps) => void asi.waitExternal();

/** The line that is nested deepest, and how deep that is. */
function innermost(line: LineSnapshot): [LineSnapshot, depth: number] {
  let at = line;
  let depth = at.steps.length;
  for (; at.lines.length > 0; depth += at.steps.length) at = at.lines[0]!;
  return [at, depth];
}

describe('snapshots', function () {
  this.timeout(60_000);

  it('a snapshot is data that the schema describes, and that nothing changes', async () => {
    const { tool } = bench();
    const mutex = new Mutex({ name: 'db' });
    const jobs = new Channel({ capacity: 0, name: 'jobs' });
    const scope = new Scope({ tool, name: 'client' });
    const { signal } = new AbortController();
    const work = step((asi) => {
      asi.setTimeout(50);
      asi.sync(mutex, (inner) => {
        inner.add(wait);
      });
    });
    scope.start(work, { signal });
    scope.start(work);
    tool.start(parallel(wait, (asi) => jobs.send(asi, 1)));
    await tool.advance(10);
    const seen = snapshot(tool);
    expect(check(seen), JSON.stringify(check.errors)).to.equal(true);
    const text = JSON.stringify(seen);
    const [first] = seen.flows;
    expect(first).to.deep.equal({
      id: first!.id,
      name: 'client',
      state: 'running',
      signal: true,
      deadline: 40,
      line: {
        steps: [
          { element: '0', kind: 'step', timeout: 40 },
          { element: '0', kind: 'sync' },
          { element: '0', kind: 'step' },
        ],
        waits: { for: 'completion' },
        lines: [],
      },
    });
    const closed = scope.close();
    await tool.advance(10);
    await closed;
    expect(JSON.stringify(seen)).to.equal(text);
    expect(snapshot(tool).flows).to.have.lengthOf(1);
  });

  it('flows and guards keep the numbers that no others have', async () => {
    const tools = [new VirtualTool(), new VirtualTool()];
    const mutexes = [new Mutex(), new Mutex()];
    const ids = async () => {
      const all: number[] = [];
      for (const tool of tools) {
        await tool.advance(1);
        const { flows, guards } = snapshot(tool);
        all.push(...flows.map(({ id }) => id), ...guards.map(({ id }) => id));
      }
      return all;
    };
    for (const tool of tools) {
      for (const mutex of mutexes) new AsyncSteps({ tool }).sync(mutex, wait).execute();
    }
    const first = await ids();
    expect(first).to.have.lengthOf(8);
    // Each mutex is waited for on the second tool.
    expect(new Set(first).size).to.equal(6);
    expect(await ids()).to.deep.equal(first);
  });

  it('while somebody observes it says how old flows are, and how long lines have waited', async () => {
    const { tool } = bench();
    const older = new AsyncSteps({ tool });
    older.add(wait).execute();
    await tool.run();
    const watching = observe(tool, () => {});
    const flow = new AsyncSteps({ tool });
    flow.add(delay(3)).add((asi) => {
      const branches = asi.parallel();
      branches.add(wait);
      branches.add((branch) => branch.add(delay(4)).add(wait));
    });
    flow.execute();
    const waiting = snapshot(flow);
    expect([waiting.age, waiting.line!.waits]).to.deep.equal([0, { for: 'turn' }]);
    tool.start(delay(20));
    await tool.run();
    const [first, second] = snapshot(tool).flows as [FlowSnapshot, FlowSnapshot];
    expect([first.age, first.line!.waits!.since]).to.deep.equal([undefined, undefined]);
    expect(check(snapshot(tool)), JSON.stringify(check.errors)).to.equal(true);
    expect([second.age, second.line!.waits]).to.deep.equal([20, undefined]);
    expect(second.line!.lines.map(({ waits }) => waits!.since)).to.deep.equal([17, 13]);
    watching.cancel();
    const { age, line } = snapshot(flow);
    expect([age, line!.lines[0]!.waits!.since]).to.deep.equal([undefined, undefined]);
    older.cancel();
    flow.cancel();
  });

  it('a snapshot is of one moment', async () => {
    const tool = new AsyncTool();
    observe(tool, () => {});
    const flows = Array.from({ length: 3 }, () => new AsyncSteps({ tool }).add(wait));
    for (const flow of flows) flow.execute();
    await run(steps(), { tool });
    const { now } = performance;
    let passed = 0;
    performance.now = () => now.call(performance) + ++passed;
    try {
      const begunIn = ({ time, flows }: Snapshot) =>
        flows.map(({ age, line }) => [time - age!, time - line!.waits!.since!]);
      expect(begunIn(snapshot(tool))).to.deep.equal(begunIn(snapshot(tool)));
    } finally {
      performance.now = now;
    }
    for (const flow of flows) flow.cancel();
  });

  it('a flow that asks in its first turn is among those that are shown', () => {
    for (const tool of [new VirtualTool(), new AsyncTool()]) {
      new AsyncSteps({ tool, name: 'asks' })
        .add(() => {
          const { flows } = snapshot(tool);
          expect(flows.map(({ name, line }) => [name, line?.waits])).to.deep.equal([
            ['asks', { for: 'code' }],
            ['next', { for: 'turn' }],
          ]);
        })
        .execute();
      new AsyncSteps({ tool, name: 'next' }).execute();
      tool.immediate(() => expect(snapshot(tool).flows).to.deep.equal([]));
      if (tool instanceof VirtualTool) void tool.run();
    }
  });

  it('sequences that have no step of their own are shown all the same', async () => {
    const { tool, flow } = bench();
    flow.add(
      steps(
        () => {},
        steps(() => {}, steps(() => {}, wait).named('a/b')),
      ),
    );
    flow.execute();
    await tool.advance(1);
    const { line } = snapshot(flow);
    expect(line!.steps).to.deep.equal([
      { element: '0', kind: 'steps' },
      { element: '1', kind: 'steps' },
      { element: 'a/b', kind: 'steps' },
      { element: '1', kind: 'step' },
    ]);
    flow.cancel();
  });

  it('a name that is no string is refused', () => {
    const error = thrownBy(() => new AsyncSteps({ name: 1 as never }));
    expect(error.info).to.equal('AsyncSteps: name: expected a string, got 1');
    expect(thrownBy(() => new Scope({ name: {} as never })).code).to.equal('InternalError');
  });

  it('100,000 levels of steps, and of branches, are shown without recursion', async () => {
    const depth = 100_000;
    const tool = new AsyncTool();
    const nested = (inside: (asi: IAsyncSteps, body: (asi: IAsyncSteps) => void) => void) =>
      new Promise<AsyncSteps>((reached) => {
        let left = depth;
        const body = (asi: IAsyncSteps): void => {
          if (--left > 0) return inside(asi, body);
          asi.waitExternal();
          reached(flow);
        };
        const flow = new AsyncSteps({ tool, burst: 1000 }).add(body);
        flow.execute();
      });
    const deep = await nested((asi, body) => void asi.add(body));
    const branched = await nested((asi, body) => void asi.add(parallel(body)));
    for (const { line } of snapshot(tool).flows) {
      const [last, levels] = innermost(line!);
      expect(last.waits).to.deep.equal({ for: 'completion' });
      expect(levels).to.be.greaterThan(depth - 1);
    }
    deep.cancel();
    branched.cancel();
  });

  it('steps of another runtime that a step awaits are inside of it', async () => {
    const tool = new AsyncTool();
    const native = { element: 'native', kind: 'step' } as const;
    const addInside = (line: LineSnapshot, look: { now: number; nearest: number }) => {
      line.steps.push(native);
      line.waits = { for: 'success' };
      look.nearest = look.now + 7;
    };
    const awaitable = new Promise<void>(() => {});
    const flow = new AsyncSteps({ tool });
    let step: IAsyncSteps;
    const body = (asi: IAsyncSteps) => {
      step = asi;
      return awaitable;
    };
    flow.add(body, undefined, 'outside').execute();
    await new Promise<void>((done) => void tool.immediate(done));
    const outside = { element: 'outside', kind: 'step' };
    expect(snapshot(flow).line).to.deep.equal({
      steps: [outside],
      waits: { for: 'awaitable' },
      lines: [],
    });
    tool.inside = new Map([[step!, addInside]]);
    expect(snapshot(flow).deadline).to.equal(7);
    expect(snapshot(flow).line).to.deep.equal({
      steps: [outside, native],
      waits: { for: 'success' },
      lines: [],
    });
    flow.cancel();
  });

  it('100,000 flows that wait for a mutex have their places', async () => {
    const count = 100_000;
    const tool = new AsyncTool();
    const mutex = new Mutex();
    const all = Array.from({ length: count + 1 }, () => new AsyncSteps({ tool }).sync(mutex, wait));
    for (const flow of all) flow.execute();
    await new Promise<void>((done) => void tool.immediate(done));
    const { flows, guards } = snapshot(tool);
    expect(guards).to.have.lengthOf(1);
    expect(guards[0]).to.include({ kind: 'mutex', waiting: count, active: 1, available: 0 });
    expect(guards[0]!.holders).to.deep.equal([{ flow: flows[0]!.id, path: '0' }]);
    const places = flows.slice(1).map(({ line }) => line!.waits!.place);
    expect(places).to.deep.equal(Array.from({ length: count }, (_, i) => i + 1));
    for (const flow of all.reverse()) flow.cancel();
  });
});
