// How long a lease counts here: of guards, calls and jobs.

/** The part of it in which nothing is done any more: for timers that are late, and clocks that go at different rates. */
const margin = 0.1;

/** Milliseconds from when Redis was asked for so many. */
export const lifeOf = (lease: number): number => lease * (1 - margin);
