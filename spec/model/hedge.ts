/** A hedge: branches that run one body, each begun when those before it are slow, or have all failed. */
import { closeBranches, silent } from './closing.js';
import { addAlso, type Failure, makeFailure, replacing } from './failure.js';
import { leave } from './leave.js';
import { enqueue } from './line.js';
import { asked, type Budget, isRefusal, type On, pay } from './retry.js';
import { makeLine, makeRoot, type Step, type Values } from './shape.js';
import { put, type Value } from './steps.js';
import { misuse } from './thrown.js';
import { remaining } from './timeout.js';
import { cancelEntry, deferred, type Timer } from './tool.js';

export interface Hedging {
  after: number;
  on: On;
  budget: Budget | undefined;
  /** How many attempts may still begin. */
  left: number;
  /** So many of the next ones need no token. */
  paid: number;
  /** Until the next one begins. */
  wait: Timer | undefined;
  /** Of attempts. */
  failures: Failure[];
  /** It has won or failed, or a closing has reached it. */
  over: boolean;
}

/** [flow-137] */
export function makeHedging(
  after: number,
  max: number,
  on: On,
  budget: Budget | undefined,
): Hedging {
  const fits =
    after >= 0 && Number.isSafeInteger(max) && max >= 1 && !(Array.isArray(on) && on.includes(''));
  if (!fits) throw misuse('these are no options of a hedge');
  return { after, on, budget, left: max, paid: 0, wait: undefined, failures: [], over: false };
}

/** [flow-120] */
export function startHedge(step: Step, values: Values): void {
  step.kept = values;
  begin(step, step.hedging!);
}

/** [flow-120] [flow-124] [flow-125] */
function begin(step: Step, hedging: Hedging): void {
  const index = step.lines.length;
  const root = makeRoot(step.flow, step);
  const branches = {
    flow: step.flow,
    put(branch: Step) {
      branch.element = `|${index}`;
      branch.parent = root;
      root.level.push(branch);
    },
  };
  put(branches, step.described[0] as Value);
  const line = makeLine(step.flow, root);
  const own = step.numbered ? [index + 1] : [];
  line.values = [...step.kept, ...own].slice(0, 4);
  step.lines.push(line);
  hedging.left--;
  waitFor(step, hedging.after);
  enqueue(line);
}

/** [flow-120] [flow-122] [flow-130] [flow-132] */
function waitFor(step: Step, ms: number): void {
  const hedging = step.hedging!;
  stopWaiting(step);
  if (hedging.left === 0 || ms === Number.POSITIVE_INFINITY) return;
  hedging.wait = deferred(step.flow.tool, ms, () => {
    hedging.wait = undefined;
    if (mayBegin(hedging)) begin(step, hedging);
  });
}

function stopWaiting({ flow, hedging }: Step): void {
  if (hedging!.wait !== undefined) cancelEntry(flow.tool, hedging!.wait);
  hedging!.wait = undefined;
}

/** [flow-122] [flow-130] */
function mayBegin(hedging: Hedging): boolean {
  const { budget, left, paid } = hedging;
  if (left === 0) return false;
  if (paid > 0) {
    hedging.paid--;
    return true;
  }
  if (budget === undefined || pay(budget)) return true;
  hedging.left = 0;
  return false;
}

/** [flow-134] */
export function stopHedge(step: Step): void {
  if (step.hedging === undefined) return;
  step.hedging.over = true;
  stopWaiting(step);
}

/** [flow-121] [flow-126] [flow-127] [flow-128] [flow-132] [flow-133] [flow-138] [flow-139] */
export function failAttempt(step: Step, failure: Failure): void {
  const hedging = step.hedging!;
  const answer = asked(hedging.on, failure);
  if (answer === undefined) {
    const raised = makeFailure(step, 'InternalError');
    return end(step, replacing(raised, failure));
  }
  if (answer === false) return end(step, failure);
  const runs = step.lines.some((line) => !line.closed);
  if (isRefusal(failure)) hedging.paid++;
  const time = answer === true ? (failure.refusal.retryAfter ?? 0) : answer;
  if (answer !== true || time > 0) {
    const wait = Math.ceil(time);
    stopWaiting(step);
    const waits = wait <= remaining(step) && (runs || (mayBegin(hedging) && ++hedging.paid > 0));
    hedging.failures.push(failure);
    if (waits) return waitFor(step, wait);
  } else {
    hedging.failures.push(failure);
    if (!runs && mayBegin(hedging)) return begin(step, hedging);
  }
  if (!runs) end(step, failure);
}

/** [flow-127] [flow-129] */
function end(step: Step, failure: Failure): void {
  stopHedge(step);
  const others = step.hedging!.failures.filter((other) => other !== failure);
  addAlso(failure, others);
  const why = silent(failure);
  closeBranches(step, why, () => {
    addAlso(failure, why.overtaken);
    leave(step, { how: 'error', failure });
  });
}
