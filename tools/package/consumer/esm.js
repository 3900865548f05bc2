import { AsyncSteps, VirtualTool } from 'steptree';
import { offload } from 'steptree/pool';

const tool = new VirtualTool();
const flow = new AsyncSteps({ tool });
flow.add((asi) => asi.success('import', 'works')).add((_asi, a, b) => console.log(a, b));
flow
  .add(offload({ run: async (task) => `${task} works` }, 'offload'))
  .add((_asi, a) => console.log(a));
flow.execute();
await tool.run();
