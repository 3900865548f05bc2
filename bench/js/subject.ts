/** What a subject gives to the harness, and what the harness gives to a program. */

/** Measures all of a program, unless the program itself says which part of it counts. */
export interface Watch {
  /** What came before was preparation. */
  start(): void;
  /** What comes after is clearing away. */
  stop(): void;
  /** A run whose time is not taken: a small crowd will do. */
  readonly warming: boolean;
  /** The operations that were timed, where they aren't `size`. */
  operations: number;
  /** Nanoseconds an operation, from a program that measures something else than its own duration. */
  ns?: number;
  /** Bytes for each flow that waits. */
  bytes?: number;
}

/**
 * Performs `size` operations and gives how many of them ended as they should have, counted where they end: the harness
 * refuses a program that gives anything but `size`.
 */
export type Program = (size: number, watch: Watch) => number | Promise<number>;

export interface Subject {
  readonly name: string;
  readonly version: string;
  readonly programs: Readonly<Record<string, Program>>;
}

/** The suffixes of the scenarios that grow. */
export const counts = {
  '1': 1,
  '10': 10,
  '100': 100,
  '1k': 1_000,
  '10k': 10_000,
  '30k': 30_000,
  '100k': 100_000,
  '300k': 300_000,
  '1M': 1_000_000,
} as const;

export type Count = keyof typeof counts;
export const crowds = ['1k', '30k', '300k', '1M'] as const;
export const levels = ['1', '10', '100', '1k', '10k'] as const;

/**
 * What is described once and run many times in steptree's rows `defined_*` is so in a subject's usual rows: they are run under these
 * names, too.
 */
export function definedAlready<K extends string>(
  programs: Readonly<Record<K, Program>>,
): Record<string, Program> {
  return Object.fromEntries(
    Object.entries<Program>(programs).map(([name, program]) => [`defined_${name}`, program]),
  );
}

/** One program for each of the counts, under the names `<stem>_<count>`. */
export function growing(
  stem: string,
  names: readonly Count[],
  program: (count: number) => Program,
): Record<string, Program> {
  const one = (name: Count): [string, Program] => {
    const small = program(Math.min(counts[name], 1_000));
    const full = program(counts[name]);
    return [`${stem}_${name}`, (size, watch) => (watch.warming ? small : full)(size, watch)];
  };
  return Object.fromEntries(names.map(one));
}
