// What adds branches to a parallel step.

import {
  add,
  addAwait,
  addDelay,
  addLoop,
  addMap,
  addRetry,
  addSection,
  addShield,
  checkOwner,
  handler,
} from './adder.js';
import type { ErrorHandler, IFlow, IParallel, MapOptions } from './iasyncsteps.js';
import { COUNT, EACH, ENDLESS } from './loopmode.js';
import { type ALL, type ANY, BRANCHES, Branches, type RACE } from './parallel.js';
import { IDLE } from './phase.js';
import type { RetryOptions } from './retry.js';
import type { Step } from './step.js';
import { append, type Owner } from './tree.js';

export function addBranches(
  owner: Owner,
  mode: typeof ALL | typeof RACE | typeof ANY,
  onerror: ErrorHandler | undefined,
  name: string | undefined,
): IParallel {
  const call = ['parallel', 'race', 'any'][mode]!;
  checkOwner(owner, call);
  const catches = handler(call, onerror);
  return new Parallel(owner, append(owner, BRANCHES | IDLE, new Branches(mode), catches, name));
}

/** What `parallel()`, `race()` and `any()` return: adds branches while its maker may add steps and the parallel has not started. */
export class Parallel implements IParallel {
  declare private readonly maker: Owner;
  declare private readonly host: Step;

  constructor(maker: Owner, host: Step) {
    this.maker = maker;
    this.host = host;
  }

  /** @internal A body that returns it says nothing. */
  get '@returned'(): string {
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

  map(source: any, options: MapOptions, body: unknown, onerror?: ErrorHandler): this {
    addMap(this.owner(), source, options, body, onerror);
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

  shield(limit: number, body: unknown, onerror?: ErrorHandler): this {
    addShield(this.owner(), limit, body, onerror);
    return this;
  }

  delay(ms: number): this {
    addDelay(this.owner(), ms);
    return this;
  }

  retry(options: RetryOptions, body: unknown, onerror?: ErrorHandler): this {
    addRetry(this.owner(), options, body, onerror);
    return this;
  }

  private owner(): Owner {
    checkOwner(this.maker, 'parallel');
    checkOwner(this.host, 'parallel');
    return this.host;
  }
}
