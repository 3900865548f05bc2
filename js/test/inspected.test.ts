import { expect } from 'chai';
import { heldMemory } from '../src/held.js';
import type { View } from '../src/imessages.js';
import { observe, step, VirtualTool } from '../src/index.js';
import { Inspected } from '../src/inspected.js';
import { runningOf } from '../src/snapshot.js';

const hang = step((asi) => void asi.waitExternal());
const quiet = { unhandled: () => {}, report: () => {} };
const view: View = { sort: 'id', first: 0, rows: 50 };
const inspect = (tool: VirtualTool) => new Inspected(tool, heldMemory(), () => {});

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
});
