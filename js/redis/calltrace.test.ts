import { expect } from 'chai';
import { defaultTool, run, step } from '../src/index.js';
import { inTrace, traceFlows, traceparent } from '../src/otel.js';
import { call } from '../src/redis.js';
import { exporter, parentOf, register, unregister } from '../test/tracing.js';
import { Calls } from './calls.js';

describe('a trace', () => {
  const calls = new Calls();
  before(register);
  after(unregister);
  afterEach(() => exporter.reset());

  it('goes on in the flow that serves a call', async () => {
    const service = calls.service<{ quote(): string }>();
    const reported: unknown[] = [];
    const options = {
      report: (error: unknown) => void reported.push(error),
      around: ({ traceparent }: { traceparent: string }, start: () => void) => {
        inTrace(traceparent, start);
        start();
        throw new Error('around');
      },
    };
    const tracing = traceFlows(defaultTool);
    try {
      calls.serve(service, { quote: () => traceparent() ?? '' }, options);
      const page = step((asi) => void asi.add(call(service, 'quote', [], { traceparent })));
      const served = await run(page.named('page'));
      const name = `${service.name}.quote`;
      const [theirs, ours] = exporter.getFinishedSpans().filter((span) => span.name === name);
      expect(parentOf(theirs!)).to.equal(ours!.spanContext().spanId);
      const { traceId, spanId } = theirs!.spanContext();
      expect(served).to.equal(`00-${traceId}-${spanId}-01`);
      expect(reported).to.have.length(1);
    } finally {
      tracing.cancel();
    }
    expect(await run(call(service, 'quote', [], { traceparent }))).to.equal('');
  });
});
