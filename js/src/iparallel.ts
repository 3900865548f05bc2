// What adds branches to a parallel step.

import { add, addAwait, addLoop, addSection, checkOwner, handler } from './adder.js';
import type { ErrorHandler, IFlow, IParallel } from './iasyncsteps.js';
import { COUNT, EACH, ENDLESS } from './loopmode.js';
import { BRANCHES, Branches } from './branches.js';
import { IDLE } from './phase.js';
import type { Step } from './step.js';
import { append, type Owner } from './tree.js';

export function addParallel(
  owner: Owner,
  onerror: ErrorHandler | undefined,
  name: string | undefined,
): IParallel {
  checkOwner(owner, 'parallel');
  const catches = handler('parallel', onerror);
  return new Parallel(owner, append(owner, BRANCHES | IDLE, new Branches(), catches, name));
}

/** What `parallel()` returns: adds branches while its maker may add steps and the parallel has not started. */
export class Parallel implements IParallel {
  declare private readonly maker: Owner;
  declare private readonly host: Step;

  constructor(maker: Owner, host: Step) {
    this.maker = maker;
    this.host = host;
  }

  /** @internal A body that returns it says nothing. */
  get 'steptree.returned'(): string {
    return '';
  }

  add(body: unknown, onerror?: ErrorHandler, name?: string): this {
    add(this.owner(), body, onerror, name);
    return this;
  }

  loop(body: unknown, label?: string): this {
    addLoop(this.owner(), ENDLESS, undefined, body, label);
    return this;
  }

  repeat(n: number, body: unknown, label?: string): this {
    addLoop(this.owner(), COUNT, n, body, label);
    return this;
  }

  forEach(collection: any, body: any, label?: string): this {
    addLoop(this.owner(), EACH, collection, body, label);
    return this;
  }

  await(awaitable: PromiseLike<unknown> | IFlow, onerror?: ErrorHandler): this {
    addAwait(this.owner(), awaitable, onerror, this.maker);
    return this;
  }

  sync(guard: unknown, body: unknown, onerror?: ErrorHandler): this {
    addSection(this.owner(), guard, body, onerror);
    return this;
  }

  private owner(): Owner {
    checkOwner(this.maker, 'parallel');
    checkOwner(this.host, 'parallel');
    return this.host;
  }
}
