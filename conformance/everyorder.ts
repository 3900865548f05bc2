/** A program in every order: which orders there are is found out by running it. */
import type { Answer } from './adapter.js';
import type { Program } from './case.js';

export type Ask = (program: Program) => Promise<Answer>;

/** What came of one order. */
export interface Run {
  readonly order: number | readonly number[];
  readonly trace: readonly string[];
  /** How many things there were to choose from, each time. */
  readonly alternatives: readonly number[];
}

/** A run that failed is the last one. */
export interface Runs {
  readonly runs: readonly Run[];
  readonly fault?: string;
  /** The program isn't for the implementation. */
  readonly unfit?: true;
}

/** Begins with the first alternative everywhere, and goes on with the next of the last choice that has one. */
export async function everyOrder(ask: Ask, program: Program, limit: number): Promise<Runs> {
  const runs: Run[] = [];
  let order: readonly number[] | undefined = [];
  while (order !== undefined && runs.length < limit) {
    const answer = await ask({ ...program, order });
    if ('fault' in answer) return { runs, fault: `order [${order}]: ${answer.fault}` };
    if ('unfit' in answer) return { runs, unfit: true };
    const { trace, alternatives = [] } = answer;
    runs.push({ order, trace, alternatives });
    order = nextOrder(order, alternatives);
  }
  return { runs };
}

export async function seededOrders(
  ask: Ask,
  program: Program,
  seeds: readonly number[],
): Promise<Runs> {
  const runs: Run[] = [];
  for (const order of seeds) {
    const answer = await ask({ ...program, order });
    if ('fault' in answer) return { runs, fault: `order ${order}: ${answer.fault}` };
    if ('unfit' in answer) return { runs, unfit: true };
    runs.push({ order, trace: answer.trace, alternatives: [] });
  }
  return { runs };
}

/** An odometer whose wheels have so many places. Undefined: it has been round. */
export function nextOrder(
  order: readonly number[],
  alternatives: readonly number[],
): readonly number[] | undefined {
  let last = alternatives.length - 1;
  while (last >= 0 && (order[last] ?? 0) + 1 >= alternatives[last]!) last--;
  if (last < 0) return undefined;
  const before = Array.from({ length: last }, (_, i) => order[i] ?? 0);
  return [...before, (order[last] ?? 0) + 1];
}

/** In what two implementations differ, in words; undefined if they agree. */
export function difference(expected: Runs, actual: Runs): string | undefined {
  const length = Math.max(expected.runs.length, actual.runs.length);
  for (let i = 0; i < length; i++) {
    const [a, b] = [expected.runs[i], actual.runs[i]];
    if (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b)) continue;
    return [shown('expected', a), shown('got', b), actual.fault].filter(Boolean).join('\n');
  }
  return actual.fault;
}

function shown(title: string, run: Run | undefined): string {
  if (run === undefined) return `  ${title}: no such order`;
  const { order, trace, alternatives } = run;
  return `  ${title}, order ${JSON.stringify(order)} of [${alternatives}]: ${trace.join(', ')}`;
}
