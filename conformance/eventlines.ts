/** A program with an observer from its start, and the lines of a trace that are events. */
import type { Program } from './case.js';

const ofFlow = /^(?:.* )?(?<!: )(?:begun|turn|ended (?:ok|error .*|cancelled))$/;
/** What an error says of waits is a sentence: `waits="0 step: waits for its completion"`. */
const ofStep =
  /^.* (?:opened \S+|body|returned|handler .*|cancel|closed (?:ok|error .*|left)|waits (?!for |\d).*)$/;

/** Observers of the implementations, not of the model, may cancel the flow of one event, counted from 1 on. */
export function observed(program: Program, cancelAt?: number): Program {
  const { start = [{ execute: 'main' }] } = program as { start?: unknown[] };
  const observe = { observe: 'bodies', ...(cancelAt !== undefined && { cancelAt }) };
  return { ...program, start: [observe, ...start] } as Program;
}

/** Whether it looks itself. */
export function observes(program: Program): boolean {
  return /"(?:observe|makeRecorder)"/.test(JSON.stringify(program));
}

/** Whether several of its flows may have one name, or several of its steps. */
export function sharesNames(program: Program): boolean {
  const text = JSON.stringify(program);
  const names = text.match(/"name":"[^"]*"/g) ?? [];
  return /"newInstance"|"start":"/.test(text) || new Set(names).size < names.length;
}

/** The trace as it is without an observer: with those times only at which something else has happened. */
export function withoutEvents(trace: readonly string[]): string[] {
  const isTime = (line: string | undefined) => line === undefined || /^@\d+$/.test(line);
  return trace
    .filter((line) => !ofFlow.test(line) && !ofStep.test(line))
    .filter((line, i, lines) => !(isTime(line) && isTime(lines[i + 1])));
}

/** What is wrong with the events of a trace: each flow and step that has begun has to end, inner ones before. */
export function unpaired(trace: readonly string[]): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const line of trace) {
    const [, opens] = /^(.*) (?:opened \S+|begun)$/.exec(line) ?? [];
    const [, closes] =
      /^(.*) (?:closed (?:ok|error .*|left)|ended (?:ok|error .*|cancelled))$/.exec(line) ?? [];
    if (opens !== undefined) open.push(opens);
    if (closes === undefined) continue;
    const at = open.lastIndexOf(closes);
    if (at < 0) wrong.push(`${line}: it isn't open`);
    else if (open.some((other, i) => i > at && other.startsWith(`${closes}/`)))
      wrong.push(`${line}: something inside is open`);
    open.splice(at, at < 0 ? 0 : 1);
  }
  const ended = new Set(trace.flatMap((line) => /^(\S+) ended /.exec(line)?.[1] ?? []));
  return [
    ...wrong,
    ...open.filter((at) => ended.has(at.split(' ')[0]!)).map((at) => `${at} is open`),
  ];
}
