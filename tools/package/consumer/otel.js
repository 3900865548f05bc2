import { createRequire } from 'node:module';
import { AsyncLocalStorage } from 'node:async_hooks';
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { run, step, steps, VirtualTool } from 'steptree';
import * as otel from 'steptree/otel';

const require = createRequire(import.meta.url);
if (require('steptree/otel').traceFlows !== otel.traceFlows) console.log('another one');

// The least that an SDK is.
const storage = new AsyncLocalStorage();
const around = (context, fn, self, ...args) => storage.run(context, () => fn.apply(self, args));
const manager = {
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: around,
  bind: (_, fn) => fn,
};
context.setGlobalContextManager({ ...manager, enable: () => manager, disable: () => manager });
let last = 0;
const startSpan = (name, _options, parent) => {
  const spanId = (++last).toString(16).padStart(16, '0');
  const spanContext = () => ({ traceId: '1'.repeat(32), spanId, traceFlags: 1 });
  const none = { isRecording: () => true, setAttribute: () => none, setAttributes: () => none };
  const span = { ...none, spanContext, name, setStatus: () => none };
  span.end = () => name === 'page' || said.push(`in ${trace.getSpan(parent).name}`);
  return span;
};
const said = [];

const tool = new VirtualTool();
otel.traceFlows(tool, { tracer: { startSpan } });
const load = step(async () => {
  await null;
  said.push(trace.getActiveSpan().name);
}).named('load');
const page = steps(load, () => void said.push(trace.getActiveSpan().name)).named('page');
const ended = run(page, { tool });
await tool.run();
await ended;
console.log(said.join(' '));
