// A guard whose sections take several places of another one at once.

import { Guard } from './guard.js';
import type { Step } from './step.js';
import type { Line } from './tree.js';

/** Whose places they are. */
interface Whole extends Guard {
  admit(line: Line, count?: number): boolean;
  queue(lock: Step, count?: number): void;
}

export class Several extends Guard {
  declare private readonly whole: Whole;
  declare private readonly count: number;

  /** @internal */
  constructor(whole: Whole, count: number) {
    super(whole.name);
    this.whole = whole;
    this.count = count;
  }

  /** @internal */
  get kind(): string {
    return this.whole.kind;
  }

  /** @internal */
  override shown(): Guard {
    return this.whole;
  }

  get waiting(): number {
    return this.whole.waiting;
  }

  /** @internal */
  admit(line: Line): boolean {
    return this.whole.admit(line, this.count);
  }

  /** @internal */
  queue(lock: Step): void {
    this.whole.queue(lock, this.count);
  }

  /** @internal */
  leave(line: Line): void {
    this.whole.leave(line);
  }
}
