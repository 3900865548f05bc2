// What was found once. What one thing is may depend on another, and that on the first one: of such a circle nothing is kept but what was
// asked for first.

export class Memo {
  /** What is being looked for, and how often that was needed to be found. */
  private readonly busy = new Set<unknown>();
  private circles = 0;

  /** What was found of `key` before, else what `look` finds. */
  looked<K, T>(known: Map<K, T>, key: K, look: () => T): T | undefined {
    if (known.has(key)) return known.get(key);
    const { circles } = this;
    const found = this.once(key, look) as T;
    if (circles === this.circles || this.busy.size === 0) known.set(key, found);
    return found;
  }

  /** Undefined while it's being looked for. */
  once<T>(key: unknown, look: () => T): T | undefined {
    if (this.busy.has(key)) {
      this.circles++;
      return undefined;
    }
    this.busy.add(key);
    try {
      return look();
    } finally {
      this.busy.delete(key);
    }
  }
}
