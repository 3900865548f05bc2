// An event as a line of a trace.

import type { FlightRecorder, FlowEvent } from 'steptree';
import { waitText } from './snapshots.js';

export function lineOf(event: FlowEvent): string {
  const { flow, path, what } = event;
  return [flow.name, path, what, detailOf(event)].filter((word) => word !== '').join(' ');
}

/** Flows have other numbers in other processes. */
export function recordedLines(recorder: FlightRecorder): string[] {
  const lines = recorder.text().split('\n');
  return lines.map((line) => (line === '' ? '-' : line.replace(ofFlow, (_, name) => named(name))));
}

const ofFlow = /(?<=^\d+ )flow \d+(?: ("(?:[^"\\]|\\.)*"))?/;

function named(name: string | undefined): string {
  return name === undefined ? '-' : JSON.parse(name);
}

function detailOf(event: FlowEvent): string {
  switch (event.what) {
    case 'opened':
      return event.kind;
    case 'handler':
      return event.code;
    case 'waits':
      return waitText(event.waits);
    case 'closed':
    case 'ended':
      return `${event.outcome} ${event.code ?? ''}`.trimEnd();
    default:
      return '';
  }
}
