/** What a process of the bench over Redis runs, and what it is told. */
import type { Tally } from './tally.js';

/** Where a process stands among the others. */
export interface Place {
  readonly port: number;
  /** So many lines are its own; those of all processes together are numbered. */
  readonly lines: number;
  readonly first: number;
  readonly tally: Tally;
}

/** Settles once its lines go on endlessly. What it gives lets them end, and settles when they have. */
export type Program = (place: Place) => Promise<() => Promise<unknown>>;

export interface Subject {
  readonly name: string;
  readonly version: string;
  /** `sections`, `own`, `admissions`, `refusals`, `jobs`, `calls`. */
  readonly programs: Readonly<Record<string, Program>>;
}

/** What a job carries, or a call: of which chain it is, which of that, and when it was enqueued. */
export interface Link {
  readonly chain: number;
  readonly number: number;
  readonly at: number;
}

/** So many jobs a process runs at a time; the others wait. */
export const concurrency = ({ lines }: Place): number => Math.min(lines, 32);

/** In `refusals` so many are let in, of all processes together. */
export const entries = 1000;

/** The work of a section: it's over in the next turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How many lines start at a time. */
const atOnce = 500;

/** Starts the lines a few at a time; `heard` settles when Redis has heard of those that have begun. */
export async function ramp(
  { lines, first }: Place,
  start: (line: number) => void,
  heard: () => Promise<unknown>,
): Promise<void> {
  for (let i = 0; i < lines; i++) {
    start(first + i);
    if (i % atOnce !== atOnce - 1 && i !== lines - 1) continue;
    await turn();
    await heard();
  }
}

/** Of subjects whose operations are promises: a loop of them for each line. */
export async function loops(
  place: Place,
  operation: (line: number) => Promise<unknown>,
  heard: () => Promise<unknown>,
): Promise<() => Promise<unknown>> {
  const { tally } = place;
  const all: Promise<void>[] = [];
  const loop = async (line: number): Promise<void> => {
    while (!tally.isOver) {
      const began = tally.now();
      await operation(line);
      tally.add(began);
    }
  };
  await ramp(place, (line) => all.push(loop(line).catch((error) => tally.fail(error))), heard);
  return () => Promise.all(all);
}
