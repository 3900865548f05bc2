// A guard for each key that needs one.
//
// - It is found by its key, and not dropped from when a section begins to lock it until that has closed.
// - All stand in a circle, which begins with the one that was made or looked at longest ago. To look at one takes it to the end.

import type { Breaker } from './breaker.js';
import { badArgument, checkFunction, type Failure } from './error.js';
import { Guard } from './guard.js';
import type { Limiter } from './limiter.js';
import type { Mutex } from './mutex.js';
import type { Kind } from './kind.js';
import { EXITS, OWED } from './phase.js';
import { isCancelled } from './shelter.js';
import type { Step } from './step.js';
import type { Throttle } from './throttle.js';
import type { Closing, Line } from './tree.js';
import type { Waiter } from './waiters.js';

/** The guards that know when they are as new. One over Redis is, when no section of this process has it or waits for it. */
export type KeyableGuard =
  Mutex | Throttle | Limiter | Breaker | (Guard & { readonly isRemote: true });

/** A guard, and how many sections lock it or are in. */
class Entry<K, G> {
  declare readonly key: K;
  declare readonly guard: G;
  sections = 0;
  previous: this = this;
  next: this = this;

  constructor(key: K, guard: G) {
    this.key = key;
    this.guard = guard;
  }
}

/** How many are looked at when one is made: more than one, so that they go faster than they come. */
const LOOKS = 2;

/**
 * A guard for each key: `make(key)` makes it when a section finds none, and it's dropped when it is as a new one would be, so that memory is
 * that of the keys in use. A `Mutex`, or a `Limiter` without a rate, goes with its last section. What remembers more is looked at when others
 * are made, two for each, and goes when it has nothing to remember: a `Throttle`, a `Breaker`, a `Limiter` with a rate, a guard whose place
 * something abandoned has kept. No timer is armed. A `Breaker` forgets failures by itself only if it has a `period`. Keys are told apart as
 * those of a `Map`. Guide: docs/limits.md#one-for-each-user
 *
 *     const perUser = new Keyed((user: string) => new Limiter({ concurrent: 2, name: `user ${user}` }));
 *     asi.sync(perUser.of('ann'), body);
 */
export class Keyed<K, G extends KeyableGuard> {
  readonly #make: (key: K) => G;
  readonly #entries = new Map<K, Entry<K, G>>();
  #first: Entry<K, G> | null = null;

  /** `InternalError` if `make` is no function. What it throws fails the section that needs a guard. */
  constructor(make: (key: K) => G) {
    checkFunction('Keyed', make);
    this.#make = make;
  }

  /**
   * A guard for sections of that key, now or later, any number of them. It makes nothing: the section does when it locks, and fails with what
   * `make` throws, or with `InternalError` if that gives no `Mutex`, `Throttle`, `Limiter` or `Breaker`, nor one over Redis.
   * Guide: docs/limits.md#one-for-each-user
   *
   *     asi.sync(perUser.of('ann'), body);
   */
  of(key: K): Guard {
    return new KeyGuard(this, key);
  }

  /** How many keys have a guard now. */
  get size(): number {
    return this.#entries.size;
  }

  /** The guard that the key has now, to be read; `undefined`: it has none. To lock it, `of(key)` is the one. */
  get(key: K): G | undefined {
    return this.#entries.get(key)?.guard;
  }

  /** @internal */
  find(key: K): Entry<K, G> | undefined {
    return this.#entries.get(key);
  }

  /** @internal Undefined: the flow was cancelled meanwhile. */
  made(key: K, line: Line): Entry<K, G> | undefined {
    const make = this.#make;
    const guard = make(key);
    if (!(guard instanceof Guard) || guard.isNew === undefined)
      badArgument('Keyed: make', 'a Mutex, Throttle, Limiter or Breaker', guard);
    if (isCancelled(line) || this.#entries.has(key)) return this.find(key);
    this.#look(line.flow.settings.tool.now());
    const entry = new Entry(key, guard);
    this.#entries.set(key, entry);
    this.#push(entry);
    return entry;
  }

  /** @internal A section is over, or isn't let in. */
  left(entry: Entry<K, G>): void {
    if (--entry.sections === 0 && entry.guard.isNew!()) this.#drop(entry);
  }

  #look(now: number): void {
    for (let left = Math.min(LOOKS, this.size); left > 0; left--) {
      const entry = this.#first!;
      this.#first = entry.next;
      if (entry.sections === 0 && entry.guard.isNew!(now)) this.#drop(entry);
    }
  }

  /** At the end of the circle. */
  #push(entry: Entry<K, G>): void {
    const first = (this.#first ??= entry);
    const last = first.previous;
    entry.previous = last;
    entry.next = first;
    last.next = first.previous = entry;
  }

  #drop(entry: Entry<K, G>): void {
    const { previous, next } = entry;
    this.#entries.delete(entry.key);
    previous.next = next;
    next.previous = previous;
    if (this.#first === entry) this.#first = next === entry ? null : next;
  }
}

/** What a section of a key locks: the guard that the key has by then. */
class KeyGuard<K, G extends KeyableGuard> extends Guard {
  declare private readonly keyed: Keyed<K, G>;
  declare private readonly key: K;

  constructor(keyed: Keyed<K, G>, key: K) {
    super('');
    this.keyed = keyed;
    this.key = key;
  }

  get kind(): string {
    return 'keyed';
  }

  /** While a section has it or waits for it, its key has one. */
  override shown(): Guard {
    return this.keyed.get(this.key) ?? this;
  }

  get waiting(): number {
    return this.keyed.get(this.key)?.waiting ?? 0;
  }

  admit(line: Line): boolean {
    const entry = this.keyed.find(this.key);
    if (entry === undefined || !entry.guard.admit(line)) return false;
    entry.sections++;
    return true;
  }

  /** A guard that was there hasn't let it in. One that is made now does. */
  queue(lock: Step): void {
    const { keyed, key } = this;
    const { line } = lock;
    const entry = keyed.find(key) ?? keyed.made(key, line);
    if (entry === undefined || isCancelled(line)) return;
    entry.sections++;
    try {
      if (!entry.guard.admit(line)) entry.guard.queue(lock);
    } catch (refused) {
      keyed.left(entry);
      throw refused;
    }
    if (lock.bits & EXITS) whenLeft(lock, () => keyed.left(entry));
  }

  leave(line: Line, section?: Step, failure?: Failure | null, closing?: Closing | null): void {
    const { keyed, key } = this;
    const entry = keyed.find(key)!;
    entry.guard.leave(line, section, failure, closing);
    keyed.left(entry);
  }
}

/** When a lock that waits has closed without having been let in: what the guard itself does then has been done. */
function whenLeft(lock: Step, left: () => void): void {
  const waiter = lock.work as Waiter & Pick<Kind, 'closed'>;
  const { undo, closed } = waiter;
  let isLeft = false;
  waiter.undo = (asi) => {
    isLeft = true;
    undo?.(asi);
  };
  waiter.closed = (...closing) => {
    closed?.call(waiter, ...closing);
    if (isLeft) left();
  };
  lock.bits |= OWED;
}
