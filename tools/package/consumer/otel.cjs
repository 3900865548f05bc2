const { run, VirtualTool } = require('steptree');
const { traceFlows } = require('steptree/otel');

const tool = new VirtualTool();
const tracing = traceFlows(tool);
void run(() => tracing.cancel(), { tool }).then(() =>
  console.log(tracing.valid() ? 'on' : 'traced'),
);
void tool.run();
