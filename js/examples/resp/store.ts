import type { AsyncTool, Handle } from '../../src/index.js';

/** What a key holds. A list's head is at its array's end: LPUSH and BLPOP both work there. */
export type Value = { text: string } | { list: string[] };

interface Entry {
  value: Value;
  /** On the tool's clock; Infinity: never. */
  expiresAt: number;
  timer: Handle | undefined;
}

/** The keys and their values. A key that has expired is gone, whether its timer has already run or not. */
export class Store {
  private readonly entries = new Map<string, Entry>();
  private readonly tool: AsyncTool;

  constructor(tool: AsyncTool) {
    this.tool = tool;
  }

  find(key: string): Value | undefined {
    return this.live(key)?.value;
  }

  /** Replaces value and expiry. */
  put(key: string, value: Value): void {
    this.remove(key);
    this.entries.set(key, { value, expiresAt: Infinity, timer: undefined });
  }

  /** False: there is no such key. */
  remove(key: string): boolean {
    const entry = this.live(key);
    entry?.timer?.cancel();
    return this.entries.delete(key) && entry !== undefined;
  }

  /** The key is gone in `ms`, at once if that is not positive. False: there is no such key. */
  expire(key: string, ms: number): boolean {
    const entry = this.live(key);
    if (!entry) return false;
    if (ms <= 0) return this.remove(key);
    entry.timer?.cancel();
    entry.expiresAt = this.tool.now() + ms;
    entry.timer = this.tool.deferred(ms, () => this.live(key));
    return true;
  }

  /** Milliseconds until the key is gone: -1 if it stays, -2 if it isn't there. */
  timeToLive(key: string): number {
    const entry = this.live(key);
    if (!entry) return -2;
    return entry.expiresAt === Infinity ? -1 : entry.expiresAt - this.tool.now();
  }

  clear(): void {
    for (const key of [...this.entries.keys()]) this.remove(key);
  }

  private live(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    if (!entry || entry.expiresAt > this.tool.now()) return entry;
    entry.timer?.cancel();
    this.entries.delete(key);
    return undefined;
  }
}
