// Branches: lines of the same flow, each with one outermost step. They are queued steps of the parallel step until that opens.
//
// - `open` counts branches that are not closed; the parent's line may go on when it is 0, and goes to the tail then.
// - Branches are linked in add order. `first` only moves over closed ones, so cancelling all is linear.

import * as adder from './adder.js';
import type { ErrorHandler, IParallel } from './iasyncsteps.js';
import { COUNT, EACH, ENDLESS } from './loopmode.js';
import { BRANCH, CLOSED } from './phase.js';
import type { Step } from './step.js';
import { Branch, clearResults, type Owner, takeFirst } from './tree.js';

export class Branches {
  declare first: Branch | null;
  declare last: Branch | null;
  declare open: number;

  constructor() {
    this.first = null;
    this.last = null;
    this.open = 0;
  }
}

/** What `parallel()` returns: adds branches while its maker may add steps and the parallel has not started. */
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

  await(awaitable: PromiseLike<unknown>, onerror?: ErrorHandler): this {
    adder.addAwait(this.owner(), awaitable, onerror);
    return this;
  }

  sync(guard: unknown, body: unknown, onerror?: ErrorHandler): this {
    adder.addSection(this.owner(), guard, body, onerror);
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
  const { tool } = host.line.flow.settings;
  while (host.tail !== null) {
    const step = takeFirst(host);
    const branch = new Branch(host);
    step.bits |= BRANCH;
    step.link = step;
    branch.tail = step;
    if (branches.last === null) branches.first = branch;
    else branches.last.sibling = branch;
    branches.last = branch;
    branches.open++;
    tool.enqueue(branch);
  }
  host.count = 0;
}

/** The first branch in add order that is not closed. */
export function nextOpenBranch(host: Step): Branch | null {
  const branches: Branches = host.work;
  if (branches.open === 0) return null;
  while (branches.first!.bits & CLOSED) branches.first = branches.first!.sibling;
  return branches.first;
}

/** Nothing of the branch is open any more. Returns how many still are. */
export function closeBranch(branch: Branch): number {
  branch.bits = CLOSED;
  branch.tail = null;
  branch.latch = null;
  clearResults(branch);
  return --(branch.host.work as Branches).open;
}
