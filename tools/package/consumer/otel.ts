// Compiled only: what the declarations accept, and refuse.
import { trace } from '@opentelemetry/api';
import { defaultTool, type Handle } from 'steptree';
import { traceFlows, type TraceOptions } from 'steptree/otel';

const options: TraceOptions = { tracer: trace.getTracer('mine', '1.0'), waits: true };
export const tracing: Handle = traceFlows(defaultTool, options);
// @ts-expect-error it traces a tool
traceFlows(5);
// @ts-expect-error no such option
traceFlows(defaultTool, { wait: true });
