/** Branches: lines under a parallel step. */
import { closeBranches, silent } from './closing.js';
import { addAlso, type Failure, makeFailure } from './failure.js';
import { failAttempt, startHedge, stopHedge } from './hedge.js';
import { leave } from './leave.js';
import { enqueue, wake } from './line.js';
import { endItem, startMap, stopMap } from './map.js';
import { putBack } from './retry.js';
import { makeLine, makeRoot, type Line, type Step, type Values } from './shape.js';
import { put } from './steps.js';
import { cancelled } from './usercode.js';

/** [parallel-2] [parallel-3] [parallel-4] [flow-9]: the branches open; without any a parallel is done in this turn. */
export function startBranches(step: Step, values: Values): void {
  if (step.wants === 'map') return startMap(step);
  if (step.wants === 'hedge') return startHedge(step, values);
  const branches = {
    flow: step.flow,
    put: (branch: Step, name?: string) => putBranch(step, branch, name),
  };
  for (const value of step.described) put(branches, value);
  if (step.wants !== 'all' && step.branches.length === 0) {
    fail(step, makeFailure(step, 'InternalError', 'no branches')); // [flow-14]
    return;
  }
  for (const branch of step.branches) {
    const root = makeRoot(step.flow, step);
    branch.parent = root;
    root.level.push(branch);
    const line = makeLine(step.flow, root);
    if (step.gives) line.values = values; // [values-14]
    step.lines.push(line);
    enqueue(line, step);
  }
}

/** [error-33] */
export function putBranch(parallel: Step, step: Step, name?: string): void {
  step.element = `|${name ?? parallel.branches.length}`;
  parallel.branches.push(step);
}

function fail(step: Step, failure: Failure): void {
  leave(step, { how: 'error', failure });
}

/** A branch has ended with ok. [parallel-11] [results-12]: when all are closed, the line of the parallel goes to the tail. */
export function endBranch(parallel: Step, branch: Line): void {
  if (parallel.wants === 'map') return endItem(parallel, branch);
  if (parallel.wants !== 'all') return win(parallel, branch.values);
  const { list, lines } = parallel;
  if (list !== undefined) list[lines.indexOf(branch)] = branch.values[0] ?? null; // [values-13]
  if (parallel.lines.every((branch) => branch.closed)) wake(parallel.line!);
}

/** [flow-1] to [flow-5], [flow-13] [flow-16] [flow-123] [flow-131] */
function win(parallel: Step, values: Values): void {
  stopHedge(parallel);
  putBack(parallel.hedging?.budget);
  closeBranches(parallel, silent(), () => {
    if (cancelled(parallel)) return; // [cancel-40]
    parallel.won = values;
    wake(parallel.line!);
  });
}

/** [parallel-13] [parallel-18] [parallel-21] [flow-6]: the siblings are closed first, then the parallel step itself. */
export function failBranch(parallel: Step, branch: Line, failure: Failure): void {
  if (parallel.wants === 'hedge') return failAttempt(parallel, failure);
  if (parallel.wants === 'any') return failOneOf(parallel, branch, failure);
  if (parallel.mapping !== undefined) stopMap(parallel);
  const why = silent(failure);
  closeBranches(parallel, why, () => {
    addAlso(failure, why.overtaken);
    fail(parallel, failure);
  });
}

/** [flow-10] [flow-11] [flow-12] */
function failOneOf(any: Step, branch: Line, failure: Failure): void {
  any.failures[any.lines.indexOf(branch)] = failure;
  if (any.lines.some((other) => !other.closed)) return;
  fail(any, { ...makeFailure(any, 'AllFailed'), branches: any.failures });
}
