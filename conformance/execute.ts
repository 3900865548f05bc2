/** Gives every case to one implementation and compares the traces. */
import { Adapter, type Share } from './adapter.js';
import type { Case, LoadedCase, Program } from './case.js';

export interface Implementation {
  readonly name: string;
  readonly command: string;
  /** Brings the adapter up to date before it is started. */
  readonly build?: string;
}

export interface Failure {
  readonly found: LoadedCase;
  readonly trace?: readonly string[];
  readonly fault?: string;
}

export interface Outcome {
  readonly implementation: string;
  readonly passed: readonly LoadedCase[];
  readonly failed: readonly Failure[];
  /** Those that aren't for it. */
  readonly unfit: readonly LoadedCase[];
  readonly share?: Share;
  /** A fault that belongs to no case: it cannot be started, or does not end. */
  readonly fault?: string;
}

export interface Limits {
  readonly startMs: number;
  readonly caseMs: number;
}

/** Tells the time that a start takes apart from the time that a case takes. */
export const startUp: Program = { case: 'an empty flow ends', rules: [], flows: { main: [] } };

export async function executeCases(
  { name, command }: Implementation,
  cases: readonly LoadedCase[],
  limits: Limits,
  cwd: string,
): Promise<Outcome> {
  const passed: LoadedCase[] = [];
  const failed: Failure[] = [];
  const unfit: LoadedCase[] = [];
  let share: Share | undefined;
  let adapter: Adapter | undefined;
  let id = 0;
  for (const found of cases) {
    if (adapter === undefined) {
      adapter = new Adapter(command, cwd);
      const started = await adapter.ask(id++, startUp, limits.startMs);
      if ('fault' in started && started.broken) {
        const rest = cases.slice(cases.indexOf(found));
        failed.push(...rest.map((lost) => ({ found: lost, fault: 'not run' })));
        const fault = `at its start: ${started.fault}`;
        return { implementation: name, passed, failed, unfit, fault };
      }
    }
    const { trace: _, ...program } = found.program;
    const answer = await adapter.ask(id++, program, limits.caseMs);
    if ('fault' in answer) {
      failed.push({ found, fault: answer.fault });
      if (answer.broken) adapter = undefined;
      continue;
    }
    if ('unfit' in answer) {
      unfit.push(found);
      continue;
    }
    share = added(share, answer.share);
    if (isExpected(name, found.program, answer.trace)) passed.push(found);
    else if (found.program.exceeds?.includes(name)) {
      failed.push({ found, trace: answer.trace, fault: 'does not exceed its limits' });
    } else failed.push({ found, trace: answer.trace });
  }
  const fault = await adapter?.end(limits.startMs);
  return {
    implementation: name,
    passed,
    failed,
    unfit,
    ...(share === undefined ? {} : { share }),
    ...(fault === undefined ? {} : { fault }),
  };
}

function added(sum: Share | undefined, share: Share | undefined): Share | undefined {
  if (sum === undefined || share === undefined) return sum ?? share;
  return {
    steps: sum.steps + share.steps,
    values: sum.values + share.values,
    bodies: sum.bodies + share.bodies,
  };
}

export function isExpected(name: string, program: Case, trace: readonly string[]): boolean {
  if (program.exceeds?.includes(name)) return isTooLarge(program.trace, trace);
  return sameTrace(program.trace, trace);
}

/** A case that says it exceeds limits has to show that it does. */
function isTooLarge(expected: readonly string[], actual: readonly string[]): boolean {
  return !sameTrace(expected, actual) && actual.some((line) => line.includes('OutOfSteps'));
}

export function sameTrace(expected: readonly string[], actual: readonly string[]): boolean {
  return expected.length === actual.length && expected.every((event, i) => event === actual[i]);
}
