// The places that a process gives by itself while Redis is down: so many, first come, first served.

export class LocalShare<T> {
  readonly #max: number;
  readonly #in = new Set<T>();
  readonly #waits = new Set<T>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether it's in. Else it waits, unless it leaves. */
  enter(one: T): boolean {
    if (this.#in.has(one)) return false;
    if (this.#in.size >= this.#max) {
      this.#waits.add(one);
      return false;
    }
    this.#in.add(one);
    return true;
  }

  /** It has gone, or has a place elsewhere. Gives who is in now in its place. */
  leave(one: T): T | undefined {
    this.#waits.delete(one);
    if (!this.#in.delete(one)) return undefined;
    const [next] = this.#waits;
    if (next === undefined) return undefined;
    this.#waits.delete(next);
    this.#in.add(next);
    return next;
  }
}
