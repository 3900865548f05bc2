/** The numbers of a tool: xoshiro128** over words of 32 bits, seeded by splitmix32. [tool-32] */

/** Gives the next word at each call. */
export function makeRandom(seed: number): () => number {
  const next = splitmix(seed);
  const s = [next(), next(), next(), next()] as [number, number, number, number];
  return () => {
    const word = Math.imul(rotate(Math.imul(s[1], 5), 7), 9) >>> 0;
    const t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 11);
    return word;
  };
}

function splitmix(seed: number): () => number {
  let s = seed;
  return () => {
    s = (s + 0x9e3779b9) | 0;
    let z = s;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return z ^ (z >>> 15);
  };
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}
