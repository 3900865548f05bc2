import { AsyncSteps, snapshot, VirtualTool } from 'steptree';
import { inspect } from 'steptree/inspector';
import { locator } from 'steptree/locate';
import { offload } from 'steptree/pool';

const tool = new VirtualTool();
const flow = new AsyncSteps({ tool });
flow.add((asi) => asi.success('import', 'works')).add((_asi, a, b) => console.log(a, b));
flow
  .add(offload({ run: async (task) => `${task} works` }, 'offload'))
  .add((_asi, a) => console.log(a));
flow.execute();
await tool.run();

const { locate, close } = locator();
const waits = new AsyncSteps({ tool }).add((asi) => void asi.waitExternal());
waits.execute();
await tool.run();
console.log(snapshot(waits, { locate }).line.steps[0].source.replace(/^.*[/]/, ''));
waits.cancel();
close();

// It doesn't keep the process alive.
const inspector = await inspect(tool);
const { status } = await fetch(inspector.url);
await inspector.close();
console.log('inspector', status, 'closed');
await inspect(tool);
