// Traces for OpenTelemetry. An entry point of its own, `steptree/otel`: nothing else knows of it, and it knows of flows what `observe` tells.
//
// - What has a name is a span: flows, and steps. A step without one shares the place of what is around it.
// - Code of the program is called in the context of the innermost place. Its OpenTelemetry context is that of `execute` with the spans
//   around, so what else the program keeps in there is found, too.

import {
  type Context,
  context,
  INVALID_SPANID,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import {
  type ClosedEvent,
  type EndedEvent,
  errors,
  type FlowEvent,
  type Handle,
  observe,
  type OpenedEvent,
  StepError,
  type WaitsEvent,
} from './index.js';

/** Of `traceFlows`. Guide: docs/production.md#traces */
export interface TraceOptions {
  /** What makes the spans. Default: `trace.getTracer('steptree')`, so that of the SDK that is registered, now or later. */
  tracer?: Tracer | undefined;
  /** Whether what lines wait for are events of the spans around them. Default: `false`. */
  waits?: boolean | undefined;
}

/**
 * Makes spans of OpenTelemetry of what the tool's flows do from now on, until the handle is cancelled: of each flow, and of each step, that
 * has a name. They nest as the steps do, and each is active in all code that runs in its step or inside, after an `await`, too: so what
 * that code calls finds its parent. A flow is a child of what is active where it's executed. A step that fails has the status `ERROR` with
 * its code; one that was closed from outside has none. Spans that are open when it's cancelled end then. What is no tool,
 * and a bad option: `InternalError`. Guide: docs/production.md#traces
 *
 *     const tracing = traceFlows(defaultTool);
 *     tracing.cancel();
 */
export function traceFlows(
  tool: Parameters<typeof observe>[0],
  options: TraceOptions = {},
): Handle {
  const { tracer = trace.getTracer('steptree'), waits = false, ...others } = options;
  for (const name of Object.keys(others)) throw mistake(`unknown option ${name}`);
  if (typeof tracer?.startSpan !== 'function') throw mistake('tracer: expected a tracer');
  if (typeof waits !== 'boolean') throw mistake('waits: expected a boolean');
  const spans = new Spans(tracer, waits);
  const watching = observe(tool, (event) => spans.hear(event), {
    around: (step) => spans.callerIn(step),
  });
  return {
    cancel: () => {
      watching.cancel();
      spans.endAll();
    },
    valid: () => watching.valid(),
  };
}

/**
 * What is active, as W3C Trace Context writes it, for the option `traceparent` of a `call` over Redis, or a header; `undefined`: nothing is.
 * Guide: docs/calls.md#one-trace
 *
 *     asi.add(call(books, 'quote', ['978', 2], { traceparent }));
 */
export function traceparent(): string | undefined {
  const span = trace.getSpanContext(context.active());
  if (span === undefined || !trace.isSpanContextValid(span)) return undefined;
  const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0');
  return `00-${span.traceId}-${span.spanId}-${flags}`;
}

/**
 * Calls it where the trace is active of which another process has said the `traceparent`; what isn't one changes nothing.
 * Guide: docs/calls.md#one-trace
 *
 *     serve(books, { quote }, { around: ({ traceparent }, start) => inTrace(traceparent, start) });
 */
export function inTrace<R>(traceparent: string, call: () => R): R {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const span = { traceId, spanId, traceFlags: parseInt(flags, 16) & 0xff, isRemote: true };
  const active = context.active();
  return context.with(
    trace.isSpanContextValid(span) ? trace.setSpanContext(active, span) : active,
    call,
  );
}

function mistake(what: string): StepError {
  return new StepError(errors.InternalError, `traceFlows: ${what}`);
}

/** Of a flow, or of a step that has a span, and of what is inside without one. */
class Place {
  readonly context: Context;
  /** The innermost one; undefined: there is none of ours. */
  readonly span: Span | undefined;

  constructor(context: Context, span?: Span) {
    this.context = context;
    this.span = span;
  }

  readonly call = (call: () => void): void => context.with(this.context, call);
}

class Spans {
  private readonly tracer: Tracer;
  private readonly waits: boolean;
  /** By its id. */
  private readonly flows = new Map<number, Place>();
  /** By their numbers; of those inside of a span. */
  private readonly steps = new Map<number, Place>();
  /** Those that are open, with what they are of. */
  private readonly open = new Map<Span, number>();

  constructor(tracer: Tracer, waits: boolean) {
    this.tracer = tracer;
    this.waits = waits;
  }

  hear(event: FlowEvent): void {
    switch (event.what) {
      case 'begun':
        return void this.flow(event);
      case 'opened':
        return this.opened(event);
      case 'closed':
        return this.closed(event);
      case 'waits':
        return this.waiting(event);
      case 'ended':
        return this.ended(event);
    }
  }

  /** The context of now is right where the step runs in that already, or is inside of no span of ours. */
  callerIn(step: number): Place['call'] | undefined {
    const place = this.steps.get(step);
    return place === undefined || place.context === context.active() ? undefined : place.call;
  }

  endAll(): void {
    for (const span of this.open.keys()) span.setAttribute('steptree.outcome', 'open').end();
    this.open.clear();
  }

  /** One that is told of first when it runs was executed before that. */
  private flow({ flow }: FlowEvent): Place {
    const { id, name } = flow;
    const known = this.flows.get(id);
    if (known !== undefined) return known;
    const around = new Place(context.active());
    const place = name === '' ? around : this.start(name, around, -id);
    if (place !== around) place.span!.setAttribute('steptree.flow', id);
    this.flows.set(id, place);
    return place;
  }

  private opened(event: OpenedEvent): void {
    const { step, parent, element } = event;
    const around = this.steps.get(parent) ?? this.flow(event);
    const name = nameIn(element);
    const place = name === '' ? around : this.start(name, around, step);
    if (place !== around && place.span!.isRecording())
      place.span!.setAttributes({ 'steptree.path': event.path, 'steptree.kind': event.kind });
    if (place.span !== undefined) this.steps.set(step, place);
  }

  private closed(event: ClosedEvent): void {
    const { step } = event;
    const place = this.steps.get(step);
    if (place === undefined) return;
    this.steps.delete(step);
    this.end(place, step, event);
  }

  private ended(event: EndedEvent): void {
    const { id } = event.flow;
    const place = this.flow(event);
    this.flows.delete(id);
    this.end(place, -id, event);
  }

  private waiting(event: WaitsEvent): void {
    const span = this.waits ? this.steps.get(event.step)?.span : undefined;
    if (!span?.isRecording()) return;
    const { for: what, name } = event.waits;
    span.addEvent('waits', {
      'steptree.path': event.path,
      'steptree.for': what,
      ...(name !== undefined && { 'steptree.name': name }),
    });
  }

  /** The place around, if nothing is made of it: there is no SDK. */
  private start(name: string, around: Place, owner: number): Place {
    const options = { kind: SpanKind.INTERNAL };
    const span = this.tracer.startSpan(name, options, around.context);
    if (!span.isRecording()) {
      const { spanId } = span.spanContext();
      if (spanId === INVALID_SPANID) return around;
      if (spanId === trace.getSpanContext(around.context)?.spanId) return around;
    }
    this.open.set(span, owner);
    return new Place(trace.setSpan(around.context, span), span);
  }

  private end({ span }: Place, owner: number, { outcome, code }: ClosedEvent | EndedEvent): void {
    if (span === undefined || this.open.get(span) !== owner) return;
    this.open.delete(span);
    if (outcome === 'error') {
      span.setStatus({ code: SpanStatusCode.ERROR, message: code! });
      span.setAttribute('steptree.code', code!);
    } else if (outcome !== 'ok') {
      span.setAttribute('steptree.outcome', outcome);
    }
    span.end();
  }
}

/** The name that the program has given; `''`: none, the element is a number. */
function nameIn(element: string): string {
  const name = element.startsWith('|') ? element.slice(1) : element;
  const isOther = name.charCodeAt(0) > NINE && !name.startsWith('~');
  return isOther || !/^[#~]?\d+$/.test(name) ? name : '';
}

const NINE = 0x39;
