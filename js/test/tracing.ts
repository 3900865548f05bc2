// OpenTelemetry's SDK in a test: spans are kept, the platform's clients and servers make and read headers.

import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

export const exporter = new InMemorySpanExporter();
const instrumentations = [new HttpInstrumentation(), new UndiciInstrumentation()];
for (const each of instrumentations) each.disable();

export function register(): void {
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  for (const each of instrumentations) {
    each.setTracerProvider(provider);
    each.enable();
  }
  createRequire(import.meta.url)('node:http'); // the instrumentation hears of that
}

export function unregister(): void {
  for (const each of instrumentations) each.disable();
  for (const api of [context, propagation, trace]) api.disable();
}

/** All that have ended so far, in that order, with the names of what is around them, the outermost first. */
export function ended(): string[] {
  const spans = exporter.getFinishedSpans();
  return spans.map((span) => wayTo(span, spans).join(' > '));
}

export function spanOf(name: string): ReadableSpan {
  const found = exporter.getFinishedSpans().filter((span) => span.name === name);
  if (found.length !== 1) throw new Error(`${found.length} spans have the name ${name}`);
  return found[0]!;
}

function wayTo(span: ReadableSpan, all: readonly ReadableSpan[]): string[] {
  const parent = all.find((other) => other.spanContext().spanId === parentOf(span));
  return [...(parent === undefined ? [] : wayTo(parent, all)), span.name];
}

export function parentOf(span: ReadableSpan): string | undefined {
  return span.parentSpanContext?.spanId;
}

export interface Echo {
  readonly url: string;
  /** What each request came with, by its path. */
  readonly traceparents: Map<string, string>;
  close(): Promise<void>;
}

/** A server that answers with nothing. */
export async function startEcho(): Promise<Echo> {
  const traceparents = new Map<string, string>();
  const server: Server = createServer(({ url, headers }, response) => {
    traceparents.set(url!, String(headers['traceparent']));
    response.end('ok');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${port}`, traceparents, close };
}
