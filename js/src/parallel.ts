// Branches: lines of the same flow, each with one outermost step. They are queued steps of the parallel step until that opens,
// and steps in `tail` until each of them starts.
//
// - Of the branches that have not started only the first is a line, and stands in the queue for all of them. After its first turn
//   the next one takes its place at the head, so they run in order with nothing in between; a line that has ended by then serves
//   the next one too.
// - `open` counts branches that are not closed; the parent's line may go on when it is 0, and goes to the tail then.
// - Branches are linked in add order. `first` only moves over closed ones, so cancelling all is linear.
// - The first end of a branch of a race, or the first ok of an any, ends them all. A failed branch of an any keeps its error,
//   till one has won or all have failed.

import { join } from './errorchain.js';
import * as adder from './adder.js';
import type { ErrorHandler, IFlow, IParallel, MapOptions } from './iasyncsteps.js';
import { Closing } from './closing.js';
import { errors } from './codes.js';
import { raiseAt, raisedBy, type StepError } from './error.js';
import { ALL, ANY, COUNT, EACH, ENDLESS } from './loopmode.js';
import { leaveItems } from './map.js';
import { BRANCH, CLOSED, INNER, MAP } from './phase.js';
import type { RetryOptions } from './retry.js';
import { turn } from './run.js';
import type { Step } from './step.js';
import { Branch, clearResults, drop, type Item, type Owner, takeFirst } from './tree.js';
import { unwind } from './unwind.js';

export class Branches {
  /** Whose end ends the step: ALL, RACE or ANY. */
  declare readonly mode: number;
  /** Those that have not started. */
  declare tail: Step | null;
  declare first: Branch | null;
  declare last: Branch | null;
  declare open: number;
  /** What goes on when all of them are closed. */
  declare closing: Closing | null;

  constructor(mode: number) {
    this.mode = mode;
    this.tail = null;
    this.first = null;
    this.last = null;
    this.open = 0;
    this.closing = null;
  }
}

/** What `parallel()`, `race()` and `any()` return: adds branches while its maker may add steps and the parallel has not started. */
export class Parallel implements IParallel {
  declare private readonly maker: Owner;
  declare private readonly host: Step;

  constructor(maker: Owner, host: Step) {
    this.maker = maker;
    this.host = host;
  }

  add(body: unknown, onerror?: ErrorHandler, name?: string): this {
    adder.add(this.owner(), body, onerror, name);
    return this;
  }

  loop(body: unknown, label?: string): this {
    adder.addLoop(this.owner(), ENDLESS, undefined, body, label);
    return this;
  }

  repeat(n: number, body: unknown, label?: string): this {
    adder.addLoop(this.owner(), COUNT, n, body, label);
    return this;
  }

  forEach(collection: any, body: any, label?: string): this {
    adder.addLoop(this.owner(), EACH, collection, body, label);
    return this;
  }

  map(source: any, options: MapOptions, body: unknown, onerror?: ErrorHandler): this {
    adder.addMap(this.owner(), source, options, body, onerror);
    return this;
  }

  await(awaitable: PromiseLike<unknown> | IFlow, onerror?: ErrorHandler): this {
    adder.addAwait(this.owner(), awaitable, onerror, this.maker);
    return this;
  }

  sync(guard: unknown, body: unknown, onerror?: ErrorHandler): this {
    adder.addSection(this.owner(), guard, body, onerror);
    return this;
  }

  shield(limit: number, body: unknown, onerror?: ErrorHandler): this {
    adder.addShield(this.owner(), limit, body, onerror);
    return this;
  }

  delay(ms: number): this {
    adder.addDelay(this.owner(), ms);
    return this;
  }

  retry(options: RetryOptions, body: unknown, onerror?: ErrorHandler): this {
    adder.addRetry(this.owner(), options, body, onerror);
    return this;
  }

  private owner(): Owner {
    adder.checkOwner(this.maker, 'parallel');
    adder.checkOwner(this.host, 'parallel');
    return this.host;
  }
}

/** Starts the branches of a parallel step that has just opened. They are no sub-steps: those count from 0. */
export function startBranches(host: Step): void {
  const branches: Branches = host.work;
  branches.tail = host.tail;
  branches.open = host.count;
  host.tail = null;
  host.count = 0;
  if (branches.tail !== null)
    host.line.flow.settings.tool.enqueue(toStart(branches, new Branch(host)));
}

/** A turn of the branch. If it was its first and others have not started, the next one follows: from here, if the tool allows it. */
export function turnBranch(first: Branch): void {
  const { host } = first;
  const branches: Branches = host.work;
  const { tool } = host.line.flow.settings;
  let branch = first;
  do {
    turn(branch);
    if (branches.tail === null || branches.last !== branch) return;
    const again = (branch.bits & CLOSED) !== 0 && branches.mode !== ANY;
    branch = toStart(branches, again ? branch : new Branch(host));
  } while (tool.fuel > 0 && tool.batches);
  tool.queue.unshift(branch);
}

function toStart(branches: Branches, branch: Branch): Branch {
  const step = takeFirst(branches);
  step.bits |= BRANCH;
  step.link = step;
  branch.bits = INNER;
  branch.tail = step;
  const { last } = branches;
  if (last === null) branches.first = branch;
  else if (last !== branch) last.sibling = branch;
  branches.last = branch;
  return branch;
}

/** Those that have not started never will. */
export function dropBranches(branches: Branches): void {
  const { tail } = branches;
  if (tail === null) return;
  for (let step = tail.link!; step !== tail; step = step.link!) branches.open--;
  branches.open--;
  drop(branches);
}

/** The first branch in add order that is not closed. */
export function nextOpenBranch(host: Step): Branch | null {
  const branches: Branches = host.work;
  return (branches.first = openFrom(branches.first));
}

/** The first one from there on that is not closed. */
export function openFrom(branch: Branch | null): Branch | null {
  let at = branch;
  while (at !== null && at.bits & CLOSED) at = at.sibling;
  return at;
}

/** The branch has ended with ok: all are closed then, or, of a race or an any, it has won and closes the others. */
export function endBranch(branch: Branch): void {
  const { host, results, value } = branch;
  const { line } = host;
  const open = closeBranch(branch);
  if ((host.work as Branches).mode !== ALL) {
    line.results = results;
    line.value = value;
    unwind(line, null, new Closing(host, null), null);
  } else if (open === 0) {
    line.flow.settings.tool.enqueue(line);
  }
}

/** A branch of an any has failed. Returns what the step fails with, if it was the last one. */
export function failBranch(branch: Branch, error: StepError): StepError | null {
  const { host } = branch;
  const open = closeBranch(branch);
  branch.latch = error;
  if (open !== 0) return null;
  const all = raisedBy(host, errors.AllFailed);
  const branches: Branches = host.work;
  for (let at = branches.first; at !== null; at = at.sibling) {
    join(all, raiseAt(at.latch as StepError, null, 0));
  }
  return all;
}

/** Nothing of the branch is open any more. Returns how many still are. */
export function closeBranch(branch: Branch): number {
  branch.bits = CLOSED;
  branch.tail = null;
  branch.latch = null;
  clearResults(branch);
  if (branch.host.bits & MAP) leaveItems(branch as Item);
  return --(branch.host.work as Branches).open;
}
