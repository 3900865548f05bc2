import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { inspect, stripVTControlCharacters } from 'node:util';
import {
  AsyncSteps,
  delay,
  type FlowSnapshot,
  Mutex,
  retry,
  RwLock,
  Scope,
  type Snapshot,
  snapshot,
  snapshotText,
  type Step,
  step,
  steps,
  sync,
  VirtualTool,
} from 'steptree';

interface Example {
  readonly snapshot: Snapshot;
  readonly text: readonly string[];
}

const examples: Example[] = JSON.parse(readFileSync('spec/snapshottexts.json', 'utf8'));

describe('the text of a snapshot', () => {
  for (const { snapshot, text } of examples) {
    it(`is the same in all languages: ${text[0]}`, () => {
      expect(snapshotText(snapshot).split('\n')).to.deep.equal(text);
    });
  }

  it('leaves out what is too much of the flows, and counts it', () => {
    const { snapshot, text } = examples[1]!;
    const [guard, gate] = text.slice(-2);
    const textOf = (max: number) => snapshotText(snapshot, { max }).split('\n');
    const more = (said: number) => `… and ${text.length - said} more`;
    expect(textOf(5)).to.deep.equal([...text.slice(0, 3), guard, gate, more(5)]);
    expect(textOf(2)).to.deep.equal([text[0], guard, more(2)]);
    expect(textOf(1)).to.deep.equal([text[0], more(1)]);
    const circles = examples[2]!;
    const left = circles.text.length - 2;
    expect(snapshotText(circles.snapshot, { max: 2 }).split('\n')).to.deep.equal([
      circles.text[0],
      circles.text.find((line) => line.startsWith('deadlock')),
      `… and ${left} more`,
    ]);
  });

  it('names flows that wait for each other through the sides of a lock', async () => {
    const tool = new VirtualTool();
    const lock = new RwLock({ name: 'data' });
    const db = new Mutex({ name: 'db' });
    const begin = (name: string, part: Step<any, any>) => {
      const flow = new AsyncSteps({ tool, name }).add(part);
      flow.execute();
      return flow;
    };
    const flows = [
      begin('asks', sync(lock.read, steps(delay(1), sync(db, delay(0))))),
      begin('writes', sync(db, steps(delay(1), sync(lock.write, delay(0))))),
      begin('reads', sync(lock.read, delay(Infinity))),
    ];
    await tool.advance(5);
    const text = snapshotText(snapshot(tool)).replace(/flow \d+/g, 'flow');
    expect(text.split('\n')).to.deep.equal([
      'flow "asks"',
      '└─ 0/1 sync: waits for mutex "db", place 1, held by flow at 0/1',
      'flow "writes"',
      '└─ 0/1 sync: waits for rwlock.write "data", place 1, held by flow at 0/1, flow at 0',
      'flow "reads"',
      '└─ 0 sync: waits for ever',
      'mutex "db": 1 in, 0 free, 1 waiting',
      'rwlock "data": 2 in, 1 waiting',
      'deadlock: flow at 0/1 waits for mutex "db", held by flow at 0/1, which waits for rwlock.write "data", held by flow at 0/1',
    ]);
    for (const flow of flows) flow.cancel();
  });

  it('takes hundreds of thousands that wait for one guard', () => {
    const guard = { id: 1, kind: 'mutex', name: '', waiting: 0, active: 1, available: 0 };
    const flows = Array.from({ length: 300_000 }, (_, i) => ({
      ...{ id: i + 1, name: '', state: 'running', signal: false },
      line: { steps: [], lines: [], waits: { for: i === 0 ? 'completion' : 'guard', guard: 1 } },
    }));
    delete (flows[0]!.line.waits as { guard?: number }).guard;
    const guards = [{ ...guard, holders: [{ flow: 1, path: '' }] }];
    const text = snapshotText({ time: 0, flows, guards } as unknown as Snapshot, { max: 2 });
    expect(text).to.match(/mutex: 1 in/);
  });

  it('leaves out the middle of a long path', () => {
    const steps = Array.from({ length: 100 }, (_, i) => ({ element: `${i}`, kind: 'step' }));
    const line = { steps, waits: { for: 'turn' as const }, lines: [] };
    const flow: FlowSnapshot = { id: 1, name: '', state: 'running', signal: false, line };
    const path = '0/1/2/3/4/5/6/7/…/92/93/94/95/96/97/98/99';
    expect(snapshotText(flow).split('\n')[1]).to.equal(`└─ ${path} step: its turn is next`);
  });

  it('may be coloured', () => {
    const { snapshot } = examples[1]!;
    const plain = stripVTControlCharacters(snapshotText(snapshot, { color: true }));
    expect(plain).to.equal(snapshotText(snapshot));
    expect(snapshotText(snapshot, { color: true })).to.include(
      '\x1b[33mwaits for its completion, for 4 ms now\x1b[39m',
    );
  });

  it('refuses what is no snapshot, options that nobody knows, and no lines', () => {
    const { snapshot } = examples[0]!;
    for (const bad of [undefined, 'flow', {}, new AsyncSteps()])
      expect(() => snapshotText(bad as never)).to.throw('snapshotText: expected a snapshot, got ');
    expect(() => snapshotText(snapshot, { colour: true } as object)).to.throw("got 'colour'");
    expect(() => snapshotText(snapshot, { max: 0 })).to.throw(
      'max: expected a whole number from 1',
    );
  });

  it('is what Node shows of a flow', async () => {
    const tool = new VirtualTool();
    const flow = new AsyncSteps({ tool, name: 'order' }).add((asi) => void asi.waitExternal());
    expect(inspect(flow)).to.match(/^flow \d+ "order", idle$/);
    flow.execute();
    await tool.run();
    expect(inspect({ flow })).to.match(/flow \d+ "order"\n.*└─ 0 step: waits for its completion/);
    expect(inspect(tool)).to.match(/^flow \d+ "order"\n└─ 0 step: waits for its completion$/);
  });

  it('is what Node shows of a scope, with its state', async () => {
    const tool = new VirtualTool();
    const scope = new Scope({ tool, name: 'clients' });
    expect(inspect(scope)).to.equal('scope "clients", 0 flows');
    const db = new Mutex({ name: 'db' });
    scope.start(sync(db, (asi) => void asi.waitExternal()).named('ask'));
    await tool.run();
    expect(inspect(scope)).to.match(
      /^scope "clients", 1 flow\nflow \d+ "clients"\n└─ ask sync: waits for its completion\nmutex "db": 1 in/,
    );
    scope.start(sync(db, delay(5)), { name: 'other' });
    void scope.drain(Infinity);
    await tool.run();
    expect(inspect({ scope })).to.match(
      /scope "clients", draining, 2 flows\n.*\n.*\n.*flow \d+ "other"\n.*waits for mutex "db", place 1, held by flow \d+ at ask/,
    );
    void scope.close();
    await tool.run();
    expect(inspect(scope)).to.equal('scope "clients", closed, 0 flows');
    expect(inspect(new Scope({ tool }))).to.equal('scope, 0 flows');
    expect(Object.keys(scope)).to.deep.equal([]);
  });

  it('a step value says what it is, as one that is awaited and not run', async () => {
    const ask = step(() => 1);
    const db = new Mutex();
    expect(inspect(ask)).to.equal('Step');
    expect(inspect(ask.named('ask'))).to.equal('Step "ask"');
    expect(inspect(sync(db, ask).named('ask'))).to.equal('Step "ask" (sync)');
    expect(inspect([retry({ max: 3 }, ask), delay(5)])).to.equal('[ Step (retry), Step (delay) ]');
    expect(inspect(steps(ask, ask).named('both').timeout(5))).to.equal('Step "both" (steps)');
    expect(inspect(await (ask as unknown))).to.equal('Step');
  });
});
