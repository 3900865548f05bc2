/** Takes an element of a list; false: nobody waits there any more. */
export type Deliver = (key: string, element: string) => boolean;

export interface Waiter {
  readonly keys: string[];
  readonly deliver: Deliver;
}

/** Who waits for an element of which list, first come first served. A waiter stands at each of his keys. */
export class Waiters {
  private readonly queues = new Map<string, Set<Waiter>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  enter(keys: string[], deliver: Deliver): Waiter {
    const waiter = { keys, deliver };
    for (const key of keys) {
      const queue = this.queues.get(key);
      if (queue) queue.add(waiter);
      else this.queues.set(key, new Set([waiter]));
    }
    this.count += 1;
    return waiter;
  }

  /** Takes the waiter out of all his queues, if he still stands there. */
  withdraw(waiter: Waiter): void {
    let stood = false;
    for (const key of waiter.keys) {
      const queue = this.queues.get(key);
      if (!queue?.delete(waiter)) continue;
      stood = true;
      if (queue.size === 0) this.queues.delete(key);
    }
    if (stood) this.count -= 1;
  }

  /** Hands elements from the list's head to those who wait; one that nobody takes stays. */
  serve(key: string, list: string[]): void {
    while (list.length > 0) {
      const first = this.queues.get(key)?.values().next();
      if (!first || first.done) return;
      this.withdraw(first.value);
      if (first.value.deliver(key, list.at(-1)!)) list.pop();
    }
  }
}
