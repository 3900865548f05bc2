const int64Max = 9_223_372_036_854_775_807n;
const int64Min = -int64Max - 1n;
/** The longest time that is counted exactly in both languages, some 140,000 years, in milliseconds. */
export const longestMs = 2 ** 52;

const integer = /^(0|-?[1-9][0-9]{0,18})$/;
const decimal = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/;

/** A signed 64-bit integer in its one canonical spelling (no `+`, no leading zeros, no blanks), else undefined. */
export function parseInteger(text: string): bigint | undefined {
  if (!integer.test(text)) return undefined;
  const value = BigInt(text);
  return value >= int64Min && value <= int64Max ? value : undefined;
}

/** `value + 1`, undefined where 64 bits can't hold it. */
export function increment(value: bigint): bigint | undefined {
  return value === int64Max ? undefined : value + 1n;
}

/** `value * factor` for a positive factor, undefined where 64 bits can't hold it. */
export function multiply(value: bigint, factor: bigint): bigint | undefined {
  const product = value * factor;
  return product >= int64Min && product <= int64Max ? product : undefined;
}

/** A decimal number, perhaps with a fraction and an exponent, else undefined. */
export function parseDecimal(text: string): number | undefined {
  return decimal.test(text) ? Number(text) : undefined;
}
