// Values from step to step: the slot of a line, and what keeps them for later.

/** Those of a line that are more than one. */
export class Results {
  declare readonly r0: unknown;
  declare readonly r1: unknown;
  declare readonly r2: unknown;
  declare readonly r3: unknown;

  constructor(r0: unknown, r1: unknown, r2: unknown, r3: unknown) {
    this.r0 = r0;
    this.r1 = r1;
    this.r2 = r2;
    this.r3 = r3;
  }
}

/** A line; or what keeps its results meanwhile, for what opens later. */
export interface Slot {
  /** How many results there are. */
  results: number;
  /** The result, or `Results`. */
  value: unknown;
}

export function copyResults(to: Slot, { results, value }: Slot): void {
  to.results = results;
  to.value = value;
}

export function setResults(slot: Slot, values: readonly unknown[]): void {
  const n = values.length;
  slot.results = n;
  slot.value = n > 1 ? new Results(values[0], values[1], values[2], values[3]) : values[0];
}

export function listOf({ results, value }: Slot): unknown[] {
  if (results < 2) return results === 0 ? [] : [value];
  const { r0, r1, r2, r3 } = value as Results;
  return [r0, r1, r2, r3].slice(0, results);
}

/** The first of its values. */
export function firstOf({ results, value }: Slot): unknown {
  return results > 1 ? (value as Results).r0 : value;
}

export function clearResults(slot: Slot): void {
  if (slot.results === 0) return;
  slot.results = 0;
  slot.value = undefined;
}
