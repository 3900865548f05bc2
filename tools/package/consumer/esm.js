import { AsyncSteps, VirtualTool } from 'steptree';

const tool = new VirtualTool();
const flow = new AsyncSteps({ tool });
flow.add((asi) => asi.success('import', 'works')).add((_asi, a, b) => console.log(a, b));
flow.execute();
await tool.run();
