// Whether two traces of a program in two languages are the same but for what the two can't share: the order of turns at one instant.
//
// - Native steps have turns of their own. So lines of different names may change places within an instant; those of one name never do, but
//   if steps of that name begin several times at that instant: then they may run side by side.
// - Reports that follow each other at one instant may change places, too.
// - What closes a native step is a cancel to it. So what its cleanup fails with then is told where the model joins it to an error.
import type { Program } from '../case.js';
import { isPart } from './parts.js';

/** The lines of each instant, with its time. */
function instantsOf(trace: readonly string[]): string[][] {
  const instants: string[][] = [[]];
  for (const line of trace) {
    if (line.startsWith('@')) instants.push([line]);
    else instants.at(-1)!.push(line);
  }
  return instants;
}

/** In the order of names; those of one name as they come, of several steps that begin in that of their texts. */
function byName(lines: readonly string[]): string[] {
  const groups = new Map<string, string[]>();
  for (const line of lines) {
    const name = /^\w*/.exec(line)![0];
    groups.set(name, [...(groups.get(name) ?? []), line]);
  }
  const begins = (name: string, line: string) =>
    name !== 'main' && (line === name || line.startsWith(`${name} `));
  return [...groups.keys()].sort().flatMap((name) => {
    const group = withSortedReports(groups.get(name)!);
    return group.filter((line) => begins(name, line)).length > 1 ? group.sort() : group;
  });
}

/**
 * Steps of a handler of JavaScript are not numbered behind those of the native step. What a service waits for, native steps around it don't
 * know.
 */
const unnumbered = (line: string) =>
  line.replace(/\bnative\/\d+/g, 'native/#').replace(/^(waits=".*\/js)\/.*/, '$1');

/** What is told at an instant besides what is expected, and nothing that is expected less. */
function withoutFurther(told: readonly string[], expected: readonly string[]): string[] {
  const left = expected.filter(isReport);
  return told.filter((line) => {
    if (!isReport(line)) return true;
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** Those of a native step come when its pass is over: of several behind each other nobody knows which was first. */
function withSortedReports(lines: readonly string[]): string[] {
  const sorted: string[] = [];
  let reports: string[] = [];
  for (const line of lines) {
    if (isReport(line)) reports.push(line);
    else {
      sorted.push(...reports.sort(), line);
      reports = [];
    }
  }
  return [...sorted, ...reports.sort()];
}

const isReport = (line: string) => /^main report /.test(line);

/** Whether a native step has something to clean up. */
function cleans(part: unknown): boolean {
  if (Array.isArray(part)) return part.some(cleans);
  if (!isPart(part)) return false;
  if (part['name'] === 'native') {
    const { catch: handler, ...body } = part;
    return JSON.stringify(body).includes('"defer"') || cleans(handler);
  }
  return Object.values(part).some(cleans);
}

/** Both traces as they can be compared: instant by instant. */
export function comparable(
  program: Program,
  expected: readonly string[],
  actual: readonly string[],
): [expected: string[], actual: string[]] {
  const model = instantsOf(expected);
  const native = instantsOf(actual);
  const isCleaning = cleans(program.flows);
  const told = native.map((lines, i) =>
    isCleaning ? withoutFurther(lines, model[i] ?? []) : lines,
  );
  const whole = (instants: string[][]) =>
    instants.flatMap((lines) => byName(lines.map(unnumbered)));
  return [whole(model), whole(told)];
}
