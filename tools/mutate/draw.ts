/** The same order for the same seed and file, on every machine. */
export function shuffled<T>(list: readonly T[], seed: number, name: string): T[] {
  const next = numbers(hash(`${seed}:${name}`));
  const order = [...list];
  for (let i = order.length - 1; i > 0; i--) {
    const j = next() % (i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const c of text) value = Math.imul(value ^ c.codePointAt(0)!, 0x01000193);
  return value >>> 0;
}

/** mulberry32. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return (word ^ (word >>> 14)) >>> 0;
  };
}
