/** The programs of orders.yaml: what has to be true of them in every order. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { namesProblems } from './names.js';
import { schemaProblems } from './schema.js';
import type { Program } from './case.js';
import type { Run } from './everyorder.js';

export interface Watched {
  readonly program: Program;
  /** How many orders there are. */
  readonly orders: number;
  /** Lines that no trace lacks. */
  readonly always: readonly string[];
  /** Lines of which every trace has one, and each occurs in some. */
  readonly either: readonly string[];
}

const probe = 'free';
/** When everything else is over. */
const late = 1_000_000;

export function loadWatched(path: URL | string): { list: Watched[]; problems: string[] } {
  const entries = parse(readFileSync(path, 'utf8')) as (Program & Omit<Watched, 'program'>)[];
  const list = entries.map(({ orders, always = [], either = [], ...program }) => ({
    program: withProbes({ ...program, rules: ['tool-38'] }),
    orders,
    always,
    either,
  }));
  const problems = list.flatMap(({ program }) => {
    const whole = { ...program, trace: [] };
    const found = [...schemaProblems(whole), ...namesProblems(whole)];
    return found.map((text) => `orders.yaml: "${program.case}": ${text}`);
  });
  return { list, problems };
}

/** At the end each guard is taken once: it has to be free. */
function withProbes(program: Program): Program {
  const guards = Object.entries((program['guards'] as object | undefined) ?? {});
  if (guards.length === 0) return program;
  const steps = guards.map(([name, form]) => ({
    sync: probe,
    guard: 'rwlock' in form ? `${name}.write` : name,
  }));
  const events = (program['events'] as object[] | undefined) ?? [];
  return {
    ...program,
    flows: { ...program.flows, [probe]: steps },
    events: [...events, { at: late, do: [{ execute: probe }] }],
  };
}

/** What is wrong with a run, each in words. */
function findingsOf({ program, always, either }: Watched, { order, trace }: Run): string[] {
  const guards = Object.keys((program['guards'] as object | undefined) ?? {}).length;
  const found = Object.keys(program.flows)
    .map((flow) => ({ flow, ends: trace.filter((line) => endOf(flow).test(line)).length }))
    .filter(({ ends }) => ends !== 1)
    .map(({ flow, ends }) => `${flow} has ended ${ends} times`);
  if (trace.filter((line) => line === probe).length !== guards) found.push('a guard is not free');
  found.push(...always.filter((line) => !trace.includes(line)).map((line) => `no '${line}'`));
  const ways = either.filter((line) => trace.includes(line));
  if (either.length > 0 && ways.length !== 1) found.push(`not one of ${either}, but [${ways}]`);
  return found.map((text) => `order [${order}]: ${text}`);
}

/** What is wrong with all of its runs: each way has to be taken in some order. */
export function findings(watched: Watched, runs: readonly Run[]): string[] {
  const found = runs.flatMap((run) => findingsOf(watched, run));
  if (runs.length !== watched.orders) found.push(`${runs.length} orders, not ${watched.orders}`);
  const never = watched.either.filter((line) => !runs.some(({ trace }) => trace.includes(line)));
  return [...found, ...never.map((line) => `no order leads to '${line}'`)];
}

function endOf(flow: string): RegExp {
  return new RegExp(`^${flow} (ok|error|cancelled|resolved|rejected)\\b`);
}
