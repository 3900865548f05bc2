// What the guards of the runtime have in common. Only sections lock them: a place is the line's from its section's lock to its unlock.

import type { Failure } from './error.js';
import type { Step } from './step.js';
import type { Closing, Line } from './tree.js';

/**
 * A guard that comes with the runtime: `Mutex`, its `places`, `Throttle`, `Limiter`, a side of an `RwLock`, `Gate`, `Breaker`, or what
 * `Keyed.of` gives. `sync` locks it, and nothing else. Guide: docs/limits.md
 *
 *     const guard: Guard = new Mutex({ max: 3 });
 *     asi.sync(guard, body);
 */
export abstract class Guard {
  /** No other object is one. */
  declare private readonly isGuard: true;
  /** What errors call it, as it was given; `''`: nothing. */
  readonly name: string;

  /** For the runtime: none of the program's own is one. */
  constructor(name: string) {
    this.name = name;
  }

  /** How many lines wait for it now. */
  abstract readonly waiting: number;

  /** @internal Which it is, for errors and snapshots. */
  abstract readonly kind: string;

  /** @internal What they show in its place. */
  shown(): Guard {
    return this;
  }

  /** @internal Whether it is as one that is made now, or, without a time, at any time; of those that can be a key's. [sync-187] */
  isNew?(now?: number): boolean;
  /** @internal Lets the line in if nobody has to wait for that. */
  abstract admit(line: Line): boolean;
  /** @internal The step of a lock waits; raises what forbids that. */
  abstract queue(lock: Step): void;
  /** @internal The line leaves once; with the section of it that closes, and how. */
  abstract leave(
    line: Line,
    section?: Step,
    failure?: Failure | null,
    closing?: Closing | null,
  ): void;
}
