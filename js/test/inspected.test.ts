import { expect } from 'chai';
import { heldMemory } from '../src/held.js';
import type { View } from '../src/imessages.js';
import { all, delay, type FlowEvent, observe, step, steps, VirtualTool } from '../src/index.js';
import { Inspected } from '../src/inspected.js';
import { runningOf } from '../src/snapshot.js';

const hang = step((asi) => void asi.waitExternal());
const quiet = { unhandled: () => {}, report: () => {} };
const view: View = { sort: 'id', first: 0, rows: 50 };
const inspect = (tool: VirtualTool) => new Inspected(tool, heldMemory(), () => {});

/** Whoever reads its clock finds a later time. */
class SteppingTool extends VirtualTool {
  #readings = 0;

  override now(): number {
    return super.now() + ++this.#readings;
  }
}

describe('what an inspector shows', () => {
  const tools: VirtualTool[] = [];
  const made = <T extends VirtualTool>(tool: T): T => {
    tools.push(tool);
    return tool;
  };
  afterEach(() => {
    for (const tool of tools.splice(0)) for (const flow of runningOf(tool)) flow.cancel();
  });

  it('a flow whose end is being told is none of those that ran before', async () => {
    const tool = made(new VirtualTool());
    let inspected: Inspected | undefined;
    observe(tool, ({ what }) => {
      if (what === 'ended') inspected ??= inspect(tool);
    });
    tool.start(
      step(() => {}),
      { ...quiet, name: 'over' },
    );
    tool.start(hang, { ...quiet, name: 'hangs' });
    await tool.advance(1);
    const [frame] = inspected!.frames([view]);
    expect(frame!.rows.map(({ name }) => name)).to.deep.equal(['hangs']);
    inspected!.end();
  });

  it('a frame is of one moment', async () => {
    const tool = made(new SteppingTool());
    const inspected = inspect(tool);
    const times = new Map<FlowEvent['what'], number>();
    observe(tool, ({ what, time }) => times.set(what, time));
    tool.start(hang.timeout(60_000), { ...quiet, name: 'hangs' });
    await tool.advance(20_000);
    const [one, two] = inspected.frames([view, { ...view, open: 1, since: 20_000 }]);
    const { time, rows } = one!;
    const [row] = rows;
    expect(time - row!.age).to.equal(times.get('begun'));
    expect(time - row!.waits!.since!).to.equal(times.get('waits'));
    expect(one!.lasting.map(({ ms }) => ms)).to.deep.equal([row!.waits!.since]);
    expect(two!.time).to.equal(time);
    expect(two!.rows).to.deep.equal(rows);
    expect(two!.open!.row).to.deep.equal(row);
    expect(two!.open!.lines!.map(({ waits }) => waits)).to.deep.equal([row!.waits]);
    inspected.cancel(1);
    await tool.advance(5);
    const [later] = inspected.frames([{ ...view, open: 1 }]);
    const { outcome, ago } = later!.open!.ended!;
    expect([outcome, later!.time - ago]).to.deep.equal(['cancelled', times.get('ended')]);
    inspected.end();
  });

  it('a flow that is expanded is looked at, also if none of the rows shows it', async () => {
    const tool = made(new VirtualTool());
    const inspected = inspect(tool);
    // A look at it takes longer than there is time for in one frame.
    const many = Array.from({ length: 5000 }, () => hang);
    tool.start(all(...many), { ...quiet, name: 'wide' });
    tool.start(delay(50).named('nap'), { ...quiet, name: 'small' });
    await tool.advance(1);
    const [frame] = inspected.frames([{ ...view, rows: 1, open: 2 }]);
    const { rows, open, waits } = frame!;
    expect(waits).to.deep.equal({ completion: 1, unseen: 1 });
    expect(rows.map(({ name }) => name)).to.deep.equal(['wide']);
    expect(open!.row).to.deep.include({
      ...{ name: 'small', path: 'nap' },
      waits: { for: 'timer', ms: 49, since: 1 },
    });
    inspected.end();
  });

  it('steps that are named as rounds are shown as these, by both what is slow and what waits', async () => {
    const tool = made(new VirtualTool());
    const inspected = inspect(tool);
    for (const name of ['#1', '#2']) {
      tool.start(steps(delay(5).named(name)).named('job'), { ...quiet, name: 'quick' });
      tool.start(steps(hang.named(name)).named('job'), { ...quiet, name: 'stuck' });
    }
    await tool.advance(10_000);
    const [frame] = inspected.frames([view]);
    const { slow, lasting } = frame!;
    expect(slow.map(({ path, count }) => [path, count])).to.deep.equal([
      ['job', 2],
      ['job/#*', 2],
    ]);
    expect(lasting.map(({ path, count }) => [path, count])).to.deep.equal([['job/#*', 2]]);
    inspected.end();
  });
});
