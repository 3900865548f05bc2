/** Whole numbers from 0 to below `n` by chance, the same for the same seed. */
export function chanceOf(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return (state >> 8) % n;
  };
}
