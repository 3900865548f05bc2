import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import {
  all,
  AsyncSteps,
  AsyncTool,
  delay,
  FlightRecorder,
  type FlowEvent,
  type IAsyncSteps,
  Mutex,
  observe,
  type RecordedEvent,
  run,
  RwLock,
  Scope,
  step,
  steps,
  sync,
  VirtualTool,
} from '../src/index.js';
import { waitWords } from '../src/waittext.js';
import { bench, thrownBy } from './bench.js';
import { gc } from './gc.js';
import { startMixed } from './mixed.js';

const schema = JSON.parse(
  readFileSync(new URL('../../spec/recording.schema.json', import.meta.url), 'utf8'),
);
const check = new Ajv2020().compile(schema);
const nothing = () => {};

/** What an observer is told, as a recorder has it. */
function copyOf(event: FlowEvent): RecordedEvent {
  const said: Record<string, unknown> = {};
  const told = event as unknown as Record<string, unknown>;
  for (const key of ['what', 'time', 'sequence', 'path', 'element', 'kind', 'outcome', 'code'])
    if (told[key] !== undefined) said[key] = told[key];
  if (event.what === 'begun' || event.what === 'ended') delete said['path'];
  if (event.what === 'waits') said['waits'] = waitWords(event.waits);
  return { ...said, flow: { id: event.flow.id, name: event.flow.name } } as RecordedEvent;
}

const withoutClock = (events: RecordedEvent[]) =>
  events.map(({ clock: _clock, ...event }) => event);

describe('FlightRecorder', function () {
  this.timeout(60_000);

  it('has what observers are told, as data that the schema describes', async () => {
    for (const bodies of [false, true]) {
      const tool = new VirtualTool();
      const told: RecordedEvent[] = [];
      observe(tool, (event) => told.push(copyOf(event)), { bodies });
      const recorder = new FlightRecorder(tool, { bodies });
      startMixed(tool);
      await tool.run();
      const events = recorder.events();
      expect(check(events), JSON.stringify(check.errors)).to.equal(true);
      expect(withoutClock(events)).to.deep.equal(told);
      const seen = new Set(events.map(({ what }) => what));
      expect(seen.size).to.equal(bodies ? 10 : 8);
      expect(recorder.text().split('\n')).to.have.lengthOf(told.length);
    }
  });

  it('has the last ones at each moment, with their paths', async () => {
    for (const size of [1, 2, 3, 7, 50]) {
      const tool = new VirtualTool();
      const told: RecordedEvent[] = [];
      const recorder = new FlightRecorder(tool, { events: size });
      let moments = 0;
      observe(tool, (event) => {
        told.push(copyOf(event));
        expect(withoutClock(recorder.events())).to.deep.equal(told.slice(-size));
        moments++;
      });
      startMixed(tool);
      await tool.run();
      expect(moments).to.be.greaterThan(100);
    }
  });

  it('keeps what it has when it is cancelled, at whatever event', async () => {
    const tool = new VirtualTool();
    const told: RecordedEvent[] = [];
    const recorders: FlightRecorder[] = [];
    observe(tool, (event) => {
      told.push(copyOf(event));
      recorders.at(-1)?.cancel();
      recorders.push(new FlightRecorder(tool, { events: 2 }));
      const last = new FlightRecorder(tool, { events: 1 });
      last.cancel();
      expect(last.events()).to.deep.equal([]);
    });
    startMixed(tool);
    await tool.run();
    recorders.pop();
    for (const [at, recorder] of recorders.entries()) {
      expect(recorder.valid()).to.equal(false);
      expect(withoutClock(recorder.events()), `${at}`).to.deep.equal([told[at + 1]]);
    }
    expect(recorders.length).to.be.greaterThan(100);
  });

  it('is in nobody else’s way, and nobody in its', async () => {
    const tool = new VirtualTool();
    const first = new FlightRecorder(tool, { events: 9 });
    const second = new FlightRecorder(tool, { bodies: true });
    const watching = observe(tool, () => {
      throw new Error('seen');
    });
    tool.start(steps(nothing, delay(2)), { report: nothing });
    await tool.advance(1);
    watching.cancel();
    first.cancel();
    first.cancel();
    const { length } = first.events();
    await tool.run();
    expect(first.events()).to.have.lengthOf(length);
    expect(second.text()).to.match(/ ended ok$/);
    expect(tool.watching).not.to.equal(null);
    second.cancel();
    expect(tool.watching).to.equal(null);
    expect([first.valid(), second.valid()]).to.deep.equal([false, false]);
    expect(second.text()).to.match(/ ended ok$/);
  });

  it('that is made within a body begins there', async () => {
    const { tool, flow } = bench();
    let recorder: FlightRecorder | undefined;
    flow.add((asi) => {
      recorder = new FlightRecorder(tool);
      asi.add((inner) => void inner.add(nothing));
    });
    flow.execute();
    await tool.run();
    const words = recorder!.text().replaceAll(/^0 flow \d+ /gm, '');
    expect(words.split('\n')).to.deep.equal([
      '0 opened step',
      '0/0 opened step',
      '0/0/0 opened step',
      '0/0/0 closed ok',
      '0/0 closed ok',
      '0 closed ok',
      'ended ok',
    ]);
  });

  it('has the cancel that an observer asks for, and its own end in a cancel handler', async () => {
    const { tool, flow } = bench();
    const recorder = new FlightRecorder(tool);
    observe(tool, ({ what }) => void (what === 'waits' && flow.cancel()));
    flow.add((asi) => {
      asi.waitExternal();
      asi.setCancel(() => recorder.cancel());
    });
    flow.execute();
    await tool.run();
    const seen = recorder.events().map(({ what }) => what);
    expect(seen).to.deep.equal(['begun', 'turn', 'opened', 'waits', 'cancel']);
    expect(flow.running()).to.equal(false);
  });

  it('a flow that is very deep has short paths, while it is open and later', async () => {
    const { tool, flow } = bench();
    const depth = 200_000;
    const recorder = new FlightRecorder(tool, { events: 5 });
    const deeper = (left: number) => (asi: IAsyncSteps) => {
      if (left > 1)
        return void asi.add(deeper(left - 1), undefined, left < 10 ? `n${left - 1}` : '');
      asi.waitExternal();
      asi.setCancel(nothing);
    };
    flow.add(deeper(depth)).execute();
    await tool.run();
    const path = '0/0/0/0/0/0/0/0/…/n8/n7/n6/n5/n4/n3/n2/n1';
    expect(recorder.events().at(-1)).to.include({ path, waits: 'completion' });
    const late = new FlightRecorder(tool, { events: 10 });
    recorder.cancel();
    flow.cancel();
    expect(recorder.events().at(-1)).to.include({ path });
    expect(late.events().map((event) => event.path?.length)).to.deep.equal([
      ...Array.from({ length: 9 }, (_, i) => 2 * (9 - i) - 1),
      undefined,
    ]);
  });

  it('names of a megabyte leave little of themselves, and no line is broken', async () => {
    const { tool } = bench();
    const recorder = new FlightRecorder(tool);
    const long = '\n😀'.repeat(500_000);
    const guard = new Mutex({ name: long });
    const flow = new AsyncSteps({ tool, name: long, unhandled: nothing });
    new AsyncSteps({ tool }).sync(guard, (asi) => void asi.add(delay(1))).execute();
    flow.sync(guard, (asi) => {
      asi.parallel().add((branch) => branch.error(long), undefined, long);
    });
    flow.execute();
    await tool.run();
    const texts = recorder.text().split('\n');
    expect(texts).to.have.lengthOf(recorder.events().length);
    for (const text of texts) expect(text.length).to.be.below(600);
    expect(recorder.events().find(({ code }) => code)?.code).to.equal(`${'\n😀'.repeat(31)}\n…`);
    expect(recorder.text()).to.contain('\\n😀');
  });

  it('has no hold of flows and steps that have ended', async () => {
    const { tool } = bench();
    const recorder = new FlightRecorder(tool);
    const refs: WeakRef<object>[] = [];
    const start = () => {
      const kept = {};
      const flow = new AsyncSteps({ tool, state: kept });
      flow.add((asi) => void asi.add(() => void kept));
      refs.push(new WeakRef(flow), new WeakRef(kept));
      flow.execute();
    };
    start();
    await tool.run();
    new AsyncSteps({ tool }).add(nothing).execute();
    await tool.run();
    gc();
    expect(refs.map((ref) => ref.deref())).to.deep.equal([undefined, undefined]);
    expect(recorder.events()).to.have.lengthOf(12);
  });

  it('takes no memory for what it records', async () => {
    const { tool } = bench();
    const scope = new Scope({ tool });
    const recorder = new FlightRecorder(tool, { events: 1000, bodies: true });
    const work = steps(nothing, delay(1), nothing);
    const thousand = async () => {
      for (let i = 0; i < 1000; i++) scope.start(work);
      await tool.run();
    };
    const heapUsed = () => {
      for (let i = 0; i < 4; i++) gc();
      return process.memoryUsage().heapUsed;
    };
    let least = Infinity;
    let before = heapUsed();
    for (let round = 0; round < 6; round++) {
      for (let i = 0; i < 5; i++) await thousand();
      const after = heapUsed();
      least = Math.min(least, after - before);
      before = after;
    }
    const { sequence } = recorder.events().at(-1)!;
    expect(sequence).to.be.greaterThan(500_000);
    expect(least, 'bytes in a round of 100,000 events').to.be.below(20_000);
  });

  it('the place in a queue is that of snapshots, wherever one stands in it', async () => {
    const tool = new VirtualTool();
    const recorder = new FlightRecorder(tool);
    const words: string[] = [];
    observe(tool, (event) => {
      if (event.what === 'waits') words.push(waitWords(event.waits));
    });
    const lock = new RwLock({ name: 'l' });
    const held = step((asi) => void asi.add(delay(3)));
    for (let i = 0; i < 9; i++) tool.start(sync(i % 3 === 0 ? lock.write : lock.read, held));
    await tool.advance(1);
    tool.start(all(sync(lock.read, held), sync(lock.write, held)));
    await tool.run();
    const recorded = recorder.events().flatMap(({ waits }) => waits ?? []);
    expect(recorded).to.deep.equal(words);
    expect(recorded).to.include('guard rwlock.write "l" 10');
  });

  it('bodies have the platform’s clock', async () => {
    const tool = new AsyncTool();
    const recorder = new FlightRecorder(tool, { bodies: true });
    const before = performance.now();
    await run(
      () => {
        const until = performance.now() + 3;
        while (performance.now() < until) nothing();
      },
      { tool },
    );
    const [body, returned] = recorder.events().filter(({ clock }) => clock !== undefined);
    expect([body!.what, returned!.what]).to.deep.equal(['body', 'returned']);
    expect(body!.clock).to.be.within(before, performance.now());
    expect(returned!.clock! - body!.clock!).to.be.greaterThan(1);
    recorder.cancel();
  });

  it('what is no tool, and a bad option, is refused', () => {
    const { tool } = bench();
    for (const call of [
      () => new FlightRecorder({} as never),
      () => new FlightRecorder(tool, { events: 0 }),
      () => new FlightRecorder(tool, { events: 2 ** 20 + 1 }),
      () => new FlightRecorder(tool, { events: 1.5 }),
      () => new FlightRecorder(tool, { bodies: 1 } as never),
      () => new FlightRecorder(tool, { size: 1 } as never),
    ]) {
      expect(thrownBy(call)).to.deep.include({ code: 'InternalError' });
    }
    expect(tool.watching).to.equal(null);
  });
});
