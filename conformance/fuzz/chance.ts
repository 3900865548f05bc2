/** Choices of a generator, all of them from one source of random numbers. */

/** What a source of random integers has to give: fast-check's is one. */
export interface Numbers {
  nextInt(least: number, most: number): number;
}

export type Weighted<T> = readonly (readonly [weight: number, choice: T])[];

export class Chance {
  readonly #numbers: Numbers;

  constructor(numbers: Numbers) {
    this.#numbers = numbers;
  }

  int(least: number, most: number): number {
    return this.#numbers.nextInt(least, most);
  }

  /** True so many times of a hundred. */
  percent(share: number): boolean {
    return this.int(0, 99) < share;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.int(0, choices.length - 1)] as T;
  }

  weighted<T>(choices: Weighted<T>): T {
    let left = this.int(0, choices.reduce((sum, [weight]) => sum + weight, 0) - 1);
    const [, choice] = choices.find(([weight]) => (left -= weight) < 0) as readonly [number, T];
    return choice;
  }

  /** A key that is there so many times of a hundred. */
  maybe<T>(share: number, key: string, make: () => T): Record<string, T> {
    return this.percent(share) ? { [key]: make() } : {};
  }

  list<T>(length: number, make: (index: number) => T): T[] {
    return Array.from({ length }, (_, i) => make(i));
  }
}
