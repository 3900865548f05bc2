import diagnostics from 'node:diagnostics_channel';
import { expect } from 'chai';
import { type FlowEvent, type Handle, observe, publishEvents } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

describe('publishEvents', () => {
  const handles: Handle[] = [];
  let leave: (() => void)[] = [];

  afterEach(() => {
    for (const each of leave) each();
    leave = [];
    for (const handle of handles.splice(0)) handle.cancel();
  });

  function published() {
    const world = bench({ name: 'main' });
    handles.push(publishEvents(world.tool));
    return world;
  }

  function subscribe(channel: string): string[] {
    const heard: string[] = [];
    const hear = (message: unknown, name: string | symbol) => {
      const { what, flow } = message as FlowEvent;
      heard.push(`${String(name)} ${flow.name} ${what}`);
    };
    diagnostics.subscribe(channel, hear);
    leave.push(() => diagnostics.unsubscribe(channel, hear));
    return heard;
  }

  it('events are published on two channels, those of flows and those of what is in them', async () => {
    const { flow, run } = published();
    const flows = subscribe('steptree:flow');
    const steps = subscribe('steptree:step');
    flow.add((asi) => void asi.setTimeout(5)).add(() => {});
    await run();
    expect(flows).to.deep.equal(['begun', 'ended'].map((what) => `steptree:flow main ${what}`));
    expect(steps).to.deep.equal(
      ['turn', 'opened', 'waits', 'closed'].map((what) => `steptree:step main ${what}`),
    );
  });

  it('nothing is observed while nobody subscribes', async () => {
    const { tool, flow, run } = published();
    const idle = tool.watching;
    await run();
    expect(tool.watching).to.equal(idle);
    const heard = subscribe('steptree:flow');
    expect(tool.watching).to.equal(idle);
    flow.add(() => expect(tool.watching).not.to.equal(idle));
    await run();
    expect(heard).to.have.lengthOf(2);
    leave.pop()!();
    flow.add(() => {});
    await run();
    expect(heard).to.have.lengthOf(2);
    expect(tool.watching).to.equal(idle);
  });

  it('an observer that is there already changes nothing of that, nor one that comes later', async () => {
    const { tool, flow, run } = bench({ name: 'main' });
    const seen: string[] = [];
    const first = observe(tool, ({ what }) => seen.push(what));
    handles.push(publishEvents(tool));
    const heard = subscribe('steptree:flow');
    await run();
    first.cancel();
    await run();
    expect(heard).to.have.lengthOf(4);
    leave.pop()!();
    await run();
    const later = observe(tool, ({ what }) => seen.push(what));
    flow.add(() => {});
    await run();
    later.cancel();
    expect(heard).to.have.lengthOf(4);
    expect(seen).to.deep.equal([
      ...['begun', 'turn', 'ended'],
      ...['begun', 'turn', 'opened', 'closed', 'ended'],
    ]);
  });

  it('it ends with the last of those who have asked for it', async () => {
    const { tool, run } = published();
    const other = publishEvents(tool);
    const heard = subscribe('steptree:flow');
    other.cancel();
    other.cancel();
    expect(other.valid()).to.equal(false);
    await run();
    expect(heard).to.have.lengthOf(2);
    for (const handle of handles) handle.cancel();
    await run();
    expect(heard).to.have.lengthOf(2);
    expect(tool.watching).to.equal(null);
  });

  it('who ends it in the midst of an event hears nothing more', async () => {
    const { tool, flow, run } = published();
    const end = () => handles[0]!.cancel();
    diagnostics.subscribe('steptree:step', end);
    leave.push(() => diagnostics.unsubscribe('steptree:step', end));
    const heard = subscribe('steptree:flow');
    flow.add(() => {});
    await run();
    expect(heard).to.deep.equal(['steptree:flow main begun']);
    expect(tool.watching).to.equal(null);
  });

  it('what is no tool is refused at the call', () => {
    expect(thrownBy(() => publishEvents({} as never))).to.deep.include({ code: 'InternalError' });
  });
});
