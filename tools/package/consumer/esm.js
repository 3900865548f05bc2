import { AsyncSteps, VirtualTool } from 'steptree';
import { inspect } from 'steptree/inspector';
import { offload } from 'steptree/pool';

const tool = new VirtualTool();
const flow = new AsyncSteps({ tool });
flow.add((asi) => asi.success('import', 'works')).add((_asi, a, b) => console.log(a, b));
flow
  .add(offload({ run: async (task) => `${task} works` }, 'offload'))
  .add((_asi, a) => console.log(a));
flow.execute();
await tool.run();

// It doesn't keep the process alive.
const inspector = await inspect(tool);
const { status } = await fetch(inspector.url);
await inspector.close();
console.log('inspector', status, 'closed');
await inspect(tool);
