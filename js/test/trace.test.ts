import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import {
  all,
  AsyncSteps,
  AsyncTool,
  delay,
  FlightRecorder,
  type IAsyncSteps,
  Mutex,
  observe,
  run,
  step,
  sync,
  VirtualTool,
} from '../src/index.js';
import { runningOf } from '../src/snapshot.js';
import { startMixed } from './mixed.js';

/** As the Trace Event Format has it. */
interface TraceEvent {
  name: string;
  cat?: string;
  ph: 'X' | 'i' | 'M';
  ts: number;
  dur?: number;
  pid: number;
  tid: number;
  s?: string;
  cname?: string;
  args: Record<string, unknown>;
}

const nothing = () => {};
const golden = JSON.parse(readFileSync(new URL('../../spec/trace.json', import.meta.url), 'utf8'));

function eventsOf(recorder: FlightRecorder): TraceEvent[] {
  const { displayTimeUnit, traceEvents, ...more } = JSON.parse(recorder.trace());
  expect([displayTimeUnit, more]).to.deep.equal(['ms', {}]);
  return traceEvents;
}

/** Names of tracks first, then slices that nest, in the order of their times. None goes on when the trace has ended. */
function check(events: readonly TraceEvent[]): void {
  const names = events.filter(({ ph }) => ph === 'M');
  expect(events.slice(0, names.length)).to.deep.equal(names);
  const tids = names.map(({ tid }) => tid);
  expect(tids).to.deep.equal(tids.map((_, i) => i + 1));
  expect(new Set(names.map(({ args }) => args['name'])).size).to.equal(names.length);
  /** When those that are open end, of each track. */
  const open = new Map(tids.map((tid) => [tid, [] as number[]]));
  const ends = events.map(({ ts = 0, dur = 0 }) => ts + dur);
  const openEnds = new Set(ends.filter((_, i) => events[i]!.args['open']));
  expect([...openEnds]).to.deep.equal([...openEnds].map(() => Math.max(...ends)));
  let last = 0;
  for (const [at, event] of events.entries()) {
    const { ph, ts, tid, pid, dur, args, cat } = event;
    expect(pid).to.equal(1);
    if (ph === 'M') continue;
    expect(Number.isInteger(ts) && ts >= last).to.equal(true);
    last = ts;
    const around = open.get(tid)!;
    while (around.length > 0 && around.at(-1)! < ts) around.pop();
    if (around.length > 0) expect(ends[at]).to.be.at.most(around.at(-1)!);
    if (ph === 'i') {
      expect([event.s, around.length > 0, dur]).to.deep.equal(['t', true, undefined]);
      continue;
    }
    expect(Number.isInteger(dur) && dur! >= 0).to.equal(true);
    around.push(ends[at]!);
    const says = /^(flow|step)$/.test(cat!) ? 'outcome' : cat === 'body' ? 'us' : undefined;
    if (args['open'] === undefined && says !== undefined) expect(args).to.have.property(says);
  }
}

/** Flows have other numbers in other processes. */
function numbered(trace: string): string {
  const ids = new Map<string, number>();
  return trace.replace(/(flow |"flow":)(\d+)/g, (_, before: string, id: string) => {
    ids.set(id, ids.get(id) ?? ids.size + 1);
    return `${before}${ids.get(id)}`;
  });
}

describe('the trace of a recorder', () => {
  it('is that of spec/trace.json', async () => {
    const tool = new VirtualTool();
    const whole = new FlightRecorder(tool);
    const last = new FlightRecorder(tool, { events: 9 });
    const db = new Mutex({ name: 'db' });
    const load = step((asi) => void asi.setTimeout(2)).named('load');
    const cart = sync(db, (asi) => void asi.add(load)).named('cart');
    const mails = sync(db, (asi) => void asi.add(delay(3))).named('mails');
    const page = step((asi) => void asi.add(all(cart, mails))).named('page');
    const recover = (asi: IAsyncSteps) => asi.success();
    tool.start(
      step((asi) => void asi.add(page.onError(recover)).add((next) => next.error('Broken'))),
      { name: 'order', unhandled: nothing },
    );
    const long = new AsyncSteps({ tool });
    long.add((asi) => {
      asi.waitExternal();
      asi.setCancel(nothing);
    });
    long.execute();
    tool.deferred(5, () => long.cancel());
    await tool.advance(1);
    const early = JSON.parse(numbered(last.trace()));
    await tool.run();
    const seen = {
      early,
      whole: JSON.parse(numbered(whole.trace())),
      last: JSON.parse(numbered(last.trace())),
    };
    expect(seen).to.deep.equal(golden);
    expect(JSON.stringify(seen)).to.equal(JSON.stringify(golden));
  });

  it('nests, ends and goes forward, whatever has been forgotten', async () => {
    for (const bodies of [false, true]) {
      for (const events of [1, 2, 3, 5, 11, 30, 1000]) {
        const tool = new VirtualTool();
        const recorder = new FlightRecorder(tool, { events, bodies });
        let moments = 0;
        const wrong: unknown[] = []; // what an observer throws is only reported
        observe(tool, () => {
          if (events >= 30 && moments++ % 16 > 0) return;
          try {
            check(eventsOf(recorder));
          } catch (fault) {
            wrong.push(fault);
          }
        });
        startMixed(tool);
        await tool.run();
        expect(wrong.map(String)).to.deep.equal([]);
        const traced = eventsOf(recorder);
        check(traced);
        if (events === 1000) expect(traced.some(({ cat }) => cat === 'body')).to.equal(bodies);
        recorder.cancel();
        expect(eventsOf(recorder)).to.deep.equal(traced);
      }
    }
  });

  it('nests, ends and goes forward, at whatever event observers cancel flows or recorders', async () => {
    let at = 0;
    for (let isOver = false; !isOver;) {
      at++;
      const tool = new VirtualTool();
      const recorder = new FlightRecorder(tool, { bodies: true });
      const stopped = new FlightRecorder(tool, { events: 20, bodies: true });
      let sequence = 0;
      const watching = observe(
        tool,
        (event) => {
          ({ sequence } = event);
          if (sequence !== at) return;
          stopped.cancel();
          for (const flow of runningOf(tool)) flow.cancel();
        },
        { bodies: true },
      );
      startMixed(tool);
      await tool.run();
      isOver = sequence < at;
      check(eventsOf(recorder));
      check(eventsOf(stopped));
      expect(recorder.events().at(-1)).to.include({ what: 'ended', sequence });
      expect(stopped.events().at(-1)!.sequence).to.equal(Math.min(at, sequence));
      watching.cancel();
    }
    expect(at).to.be.greaterThan(100);
  });

  it('of nothing is empty', () => {
    const recorder = new FlightRecorder(new VirtualTool());
    expect(recorder.trace()).to.equal('{"displayTimeUnit":"ms","traceEvents":[]}');
  });

  it('has microseconds, and how long bodies took', async () => {
    const tool = new AsyncTool();
    const recorder = new FlightRecorder(tool, { bodies: true });
    const before = Math.floor(1000 * performance.now());
    const work = () => {
      const until = performance.now() + 2;
      while (performance.now() < until) nothing();
    };
    await run(work, { tool });
    recorder.cancel();
    const after = Math.ceil(1000 * performance.now());
    const events = eventsOf(recorder);
    check(events);
    const { ts, dur, args } = events.find(({ cat }) => cat === 'body')!;
    expect(args['us']).to.be.within(1000, after - before);
    expect(ts).to.be.within(before, after);
    expect(dur).to.be.within(1000, after - before);
  });

  it('of names with quotes and line feeds is JSON, and a flow that runs twice is there twice', async () => {
    const tool = new VirtualTool();
    const recorder = new FlightRecorder(tool);
    const flow = new AsyncSteps({ tool, name: '"\n' });
    for (let i = 0; i < 2; i++) {
      flow.add(nothing, undefined, '\u2028"').execute();
      await tool.run();
    }
    const events = eventsOf(recorder);
    check(events);
    expect(events.filter(({ name, ph }) => name === '"\n' && ph === 'X')).to.have.lengthOf(2);
    expect(events.filter(({ ph }) => ph === 'M')).to.have.lengthOf(2);
  });
});
