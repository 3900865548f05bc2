const near = 100_000;
const range = 900_000;

/** Milliseconds from 100 s to 1000 s in a disorder that is the same every time. */
export function deadlines(): () => number {
  let seed = 1;
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return near + (seed % range);
  };
}
