import http from 'node:http';
import {
  context,
  propagation,
  ProxyTracerProvider,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { expect } from 'chai';
import {
  all,
  AsyncSteps,
  AsyncTool,
  delay,
  forEach,
  type Handle,
  map,
  Mutex,
  race,
  run,
  step,
  sync,
  VirtualTool,
} from '../src/index.js';
import { traceFlows } from '../src/otel.js';
import { bench, thrownBy } from './bench.js';
import {
  type Echo,
  ended,
  exporter,
  parentOf,
  register,
  spanOf,
  startEcho,
  unregister,
} from './tracing.js';

const active = () => trace.getActiveSpan() as { name?: string } | undefined;

describe('traces', function () {
  this.timeout(60_000);
  let handles: Handle[] = [];
  let echo: Echo;

  before(async () => {
    register();
    echo = await startEcho();
  });
  after(async () => {
    await echo.close();
    unregister();
  });
  afterEach(() => {
    for (const handle of handles) handle.cancel();
    handles = [];
    exporter.reset();
    echo.traceparents.clear();
  });

  function traced(options?: Parameters<typeof traceFlows>[1]) {
    const world = bench({ name: 'main', unhandled: () => {} });
    handles.push(traceFlows(world.tool, options));
    return world;
  }

  it('what has a name is a span, inside of what has one around it', async () => {
    const { flow, run } = traced();
    flow.add(
      (asi) => {
        asi.add((inner) => void inner.add(() => {}, undefined, 'load'));
        asi.add(all(step(() => {}).named('user'), () => {}));
      },
      undefined,
      'page',
    );
    await run();
    expect(ended()).to.deep.equal([
      'main > page > load',
      'main > page > user',
      'main > page',
      'main',
    ]);
    expect(spanOf('user').attributes).to.deep.equal({
      'steptree.path': 'page/1/|user',
      'steptree.kind': 'step',
    });
    expect(spanOf('page').kind).to.equal(SpanKind.INTERNAL);
    expect(spanOf('main').attributes['steptree.flow']).to.be.a('number');
    expect(spanOf('page').status.code).to.equal(SpanStatusCode.UNSET);
  });

  it('the context of the span is that of all code inside', async () => {
    const seen: string[] = [];
    const see = (what: string) => void seen.push(`${what} ${active()?.name}`);
    const { flow, run } = traced();
    const guard = { lock: () => see('lock'), unlock: () => see('unlock') };
    async function* pages() {
      see('first page');
      yield 1;
      await Promise.resolve();
      see('second page');
      yield 2;
    }
    const lazy = {
      // biome-ignore lint/suspicious/noThenProperty: what asks when it's awaited
      then: (resolve: (value: unknown) => void) => {
        see('then');
        resolve(1);
      },
    };
    flow.add(
      (asi) => {
        see('body');
        asi.defer(() => see('deferred'));
        asi.signal.addEventListener('abort', () => see('signal'));
        asi.setCancel(() => see('cancel handler'));
        asi.add(async () => {
          await Promise.resolve();
          see('after an await');
        });
        asi.add(forEach(pages(), () => see('round')).named('pages'));
        asi.add(step(() => lazy).named('query'));
        asi.add(
          map(pages(), { limit: 1, sink: () => see('sink') }, () => see('item')).named('all'),
        );
        asi.sync(guard, () => see('section'));
        asi.add(delay(1));
        asi.add(() => see('after a delay'));
        asi.add((inner) => inner.error('Failed'));
      },
      (asi) => {
        see('handler');
        asi.add(() => see('what a handler adds'));
      },
      'outer',
    );
    flow.add(() => see('behind'));
    await run();
    expect(seen).to.deep.equal([
      ...['body outer', 'after an await outer', 'first page pages', 'round pages'],
      ...['second page pages', 'round pages', 'then query', 'first page all', 'item all'],
      ...['sink all', 'second page all', 'item all', 'sink all', 'lock outer', 'section outer'],
      ...['unlock outer', 'after a delay outer', 'signal outer', 'cancel handler outer'],
      ...['handler outer', 'what a handler adds outer', 'deferred outer', 'behind main'],
    ]);
  });

  it('a hundred items that run side by side have their own spans, and so have their requests', async () => {
    const tool = new AsyncTool();
    handles.push(traceFlows(tool));
    const get = (path: string) =>
      new Promise<void>((resolve, reject) => {
        const request = http.get(`${echo.url}${path}`, (response) => {
          response.resume().on('end', resolve);
        });
        request.on('error', reject);
      });
    const item = step(async (_asi, i: number) => {
      await Promise.resolve();
      await (i % 2 === 0
        ? fetch(`${echo.url}/${i}`).then((answer) => answer.text())
        : get(`/${i}`));
      expect(active()?.name).to.equal('item');
    }).named('item');
    const numbers = Array.from({ length: 100 }, (_, i) => i);
    const page = map(numbers, { limit: 100 }, (asi, i) =>
      asi.add(delay(i % 3)).add(item.with(i)),
    ).named('page');
    await run(page, { tool, name: 'main' });
    const main = spanOf('main');
    const around = spanOf('page');
    expect(parentOf(around)).to.equal(main.spanContext().spanId);
    const spans = exporter.getFinishedSpans();
    const items = spans.filter(({ name }) => name === 'item');
    expect(items).to.have.lengthOf(100);
    const clients = spans.filter(({ kind }) => kind === SpanKind.CLIENT);
    expect(clients).to.have.lengthOf(100);
    expect(echo.traceparents.size).to.equal(100);
    for (const item of items) {
      expect(parentOf(item)).to.equal(around.spanContext().spanId);
      const { spanId } = item.spanContext();
      const inside = clients.filter((client) => parentOf(client) === spanId);
      expect(inside).to.have.lengthOf(1);
      const [i] = /(?<=\|)\d+/.exec(String(item.attributes['steptree.path']))!;
      const [, traceId, sent] = echo.traceparents.get(`/${i}`)!.split('-');
      expect(traceId).to.equal(main.spanContext().traceId);
      expect(sent).to.equal(inside[0]!.spanContext().spanId);
    }
  });

  it('a step that fails has its code, also if that is recovered further out', async () => {
    const { flow, run } = traced();
    flow.add(
      (asi) => void asi.add((inner) => inner.error('Broken', 'info'), undefined, 'inner'),
      (asi) => asi.success(),
      'outer',
    );
    expect(await run()).to.deep.include({ kind: 'ok' });
    expect(spanOf('inner').status).to.deep.equal({ code: SpanStatusCode.ERROR, message: 'Broken' });
    expect(spanOf('inner').attributes).to.deep.include({ 'steptree.code': 'Broken' });
    for (const name of ['outer', 'main'])
      expect(spanOf(name).status.code).to.equal(SpanStatusCode.UNSET);
  });

  it('a flow that fails has its code', async () => {
    const { flow, run } = traced();
    flow.add((asi) => asi.error('Broken'));
    await run();
    expect(spanOf('main').status).to.deep.equal({ code: SpanStatusCode.ERROR, message: 'Broken' });
  });

  it('what a cancel closes is left, and no error', async () => {
    const { tool, flow } = traced();
    flow.add(
      (asi) => void asi.add((inner) => inner.setCancel(() => {}), undefined, 'inner'),
      undefined,
      'outer',
    );
    flow.execute();
    await tool.run();
    expect(exporter.getFinishedSpans()).to.deep.equal([]);
    flow.cancel();
    await tool.run();
    expect(ended()).to.deep.equal(['main > outer > inner', 'main > outer', 'main']);
    expect(
      exporter.getFinishedSpans().map(({ attributes }) => attributes['steptree.outcome']),
    ).to.deep.equal(['left', 'left', 'cancelled']);
    for (const { status } of exporter.getFinishedSpans())
      expect(status.code).to.equal(SpanStatusCode.UNSET);
  });

  it('a deadline is the error of its step, and what is inside is left', async () => {
    const { flow, run } = traced();
    const seen: unknown[] = [];
    flow.add(
      step((asi) =>
        asi.add((inner) => inner.setCancel(() => seen.push(active()?.name)), undefined, 'slow'),
      )
        .timeout(5, 'TooSlow')
        .named('limited'),
      () => seen.push(active()?.name),
    );
    await run();
    expect(seen).to.deep.equal(['slow', 'limited']);
    expect(spanOf('slow').attributes['steptree.outcome']).to.equal('left');
    expect(spanOf('limited').status).to.deep.equal({
      code: SpanStatusCode.ERROR,
      message: 'TooSlow',
    });
    expect(spanOf('main').attributes['steptree.code']).to.equal('TooSlow');
  });

  it('the losers of a race are left', async () => {
    const { flow, run } = traced();
    flow.add(race(delay(1).named('first'), step((asi) => asi.setCancel(() => {})).named('last')));
    await run();
    expect(spanOf('first').attributes['steptree.outcome']).to.equal(undefined);
    expect(spanOf('last').attributes['steptree.outcome']).to.equal('left');
  });

  it('a flow is a child of what is active where it is executed, also one without a name', async () => {
    const tracer = trace.getTracer('other');
    const { tool } = traced();
    const others = new AsyncTool();
    handles.push(traceFlows(others));
    const inner = step(() => {}).named('inner');
    await tracer.startActiveSpan('request', async (span) => {
      const flow = new AsyncSteps({ tool, name: 'main' });
      flow.add(async () => void (await run(inner, { tool: others })), undefined, 'outer');
      flow.add((asi) => asi.await(new AsyncSteps({ tool, name: 'child' }).add(() => {})));
      flow.execute();
      await Promise.resolve();
      span.end();
    });
    await tool.run();
    await new Promise((resolve) => setImmediate(resolve));
    await tool.run();
    expect(ended()).to.have.members([
      'request',
      'request > main > outer > inner',
      'request > main > outer',
      'request > main > child',
      'request > main',
    ]);
  });

  it('whose tool keeps no context is a child nevertheless', async () => {
    const { tool, flow, run } = traced();
    tool.keepContext = false;
    flow.add(() => expect(active()?.name).to.equal('inner'), undefined, 'inner');
    await trace.getTracer('other').startActiveSpan('request', async (span) => {
      const ended = run();
      span.end();
      await ended;
    });
    expect(ended()).to.deep.equal(['request', 'request > main > inner', 'request > main']);
  });

  it('a trace comes in by the headers of a request, and goes out by those of others', async () => {
    const { flow, run } = traced();
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const sent: Record<string, string> = {};
    flow.add(() => propagation.inject(context.active(), sent), undefined, 'ask');
    await context.with(propagation.extract(context.active(), headers), run);
    expect(parentOf(spanOf('main'))).to.equal('b7ad6b7169203331');
    expect(sent).to.deep.equal({
      traceparent: `00-${traceId}-${spanOf('ask').spanContext().spanId}-01`,
    });
  });

  it('what is open when tracing ends is ended, and nothing is traced after that', async () => {
    const { tool, flow, told } = traced();
    flow.add(
      (asi) => {
        asi.add(delay(5)).add(() => expect(active()).to.equal(undefined), undefined, 'later');
      },
      undefined,
      'outer',
    );
    flow.execute();
    await tool.advance(1);
    const [handle] = handles;
    expect(handle!.valid()).to.equal(true);
    handle!.cancel();
    expect(handle!.valid()).to.equal(false);
    expect(
      exporter
        .getFinishedSpans()
        .map(({ name, attributes }) => [name, attributes['steptree.outcome']]),
    ).to.deep.equal([
      ['main', 'open'],
      ['outer', 'open'],
    ]);
    await tool.run();
    expect(exporter.getFinishedSpans()).to.have.lengthOf(2);
    expect(told).to.deep.equal([]);
    expect(flow.running()).to.equal(false);
  });

  it('who ends it in a body has the rest untraced', async () => {
    const { tool, flow, told } = traced();
    flow.add(() => handles[0]!.cancel(), undefined, 'first').add(() => {}, undefined, 'second');
    flow.execute();
    await tool.run();
    expect(exporter.getFinishedSpans().map(({ name }) => name)).to.deep.equal(['main', 'first']);
    expect(told).to.deep.equal([]);
  });

  it('what runs when tracing begins is traced from where it is', async () => {
    const { tool, flow } = bench({ name: 'main' });
    flow.add((asi) => void asi.add(delay(5)).add(() => {}, undefined, 'later'), undefined, 'outer');
    flow.execute();
    await tool.advance(1);
    handles.push(traceFlows(tool));
    await tool.run();
    expect(ended()).to.deep.equal(['main > outer > later', 'main > outer', 'main']);
  });

  it('each tool is traced for itself', async () => {
    const { flow, run } = traced();
    const other = bench({ name: 'other' });
    other.flow.add(() => expect(active()).to.equal(undefined), undefined, 'untraced');
    flow.add(() => {}, undefined, 'traced');
    await other.run();
    await run();
    expect(ended()).to.deep.equal(['main > traced', 'main']);
  });

  it('what a tracer throws is reported, and the flow goes on', async () => {
    const startSpan = () => {
      throw new Error('no span');
    };
    const { flow, told, run } = traced({ tracer: { startSpan, startActiveSpan: startSpan } });
    flow.add(() => {}, undefined, 'inner').add((asi) => asi.success(3));
    expect(await run()).to.deep.include({ kind: 'ok', values: [3] });
    expect(told).to.not.deep.equal([]);
    expect(new Set(told)).to.deep.equal(new Set(['report InternalError']));
  });

  it('what lines wait for are events of the spans around, if that was asked for', async () => {
    const { flow, run } = traced({ waits: true });
    const mutex = new Mutex({ name: 'db' });
    flow.add((asi) => void asi.add(delay(5)), undefined, 'outer');
    flow.add(
      all(
        sync(mutex, delay(1)),
        sync(mutex, () => {}),
      ),
    );
    await run();
    const eventsOf = (name: string) =>
      spanOf(name).events.map(({ name, attributes }) => [name, attributes]);
    expect(eventsOf('outer')).to.deep.equal([
      ['waits', { 'steptree.path': 'outer/0', 'steptree.for': 'timer' }],
    ]);
    expect(eventsOf('main')).to.deep.include([
      'waits',
      { 'steptree.path': '1/|1', 'steptree.for': 'guard', 'steptree.name': 'db' },
    ]);
  });

  it('where no SDK is registered there are no spans, and what is around stays active', async () => {
    const tracer = new ProxyTracerProvider().getTracer('none');
    const { flow, run } = traced({ tracer });
    flow.add(() => expect(active()?.name).to.equal('request'), undefined, 'inner');
    await trace.getTracer('other').startActiveSpan('request', async (span) => {
      expect(await run()).to.deep.include({ kind: 'ok' });
      span.end();
    });
    expect(await run()).to.deep.include({ kind: 'ok' });
    expect(ended()).to.deep.equal(['request']);
  });

  it('what is no tool, or no option, is refused at the call', () => {
    const tool = new VirtualTool();
    expect(thrownBy(() => traceFlows({} as never))).to.deep.include({ code: 'InternalError' });
    for (const bad of [{ wait: true }, { waits: 1 }, { tracer: {} }, { tracer: null }])
      expect(thrownBy(() => traceFlows(tool, bad as never))).to.deep.include({
        code: 'InternalError',
      });
    expect(tool.watching).to.equal(null);
  });
});
