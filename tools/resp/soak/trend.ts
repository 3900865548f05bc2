/** By how much a measure has grown over the last half of its samples: the slope of the line that fits them best, times their time. */
export function growth(samples: readonly number[]): number {
  const half = samples.slice(samples.length >> 1);
  const middle = (half.length - 1) / 2;
  const mean = half.reduce((sum, sample) => sum + sample, 0) / half.length;
  let product = 0;
  let square = 0;
  for (const [i, sample] of half.entries()) {
    product += (i - middle) * (sample - mean);
    square += (i - middle) ** 2;
  }
  return square === 0 ? 0 : (product / square) * (half.length - 1);
}
