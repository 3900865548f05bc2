// The numbers of a tool: xoshiro128**, begun with four words of splitmix32. Exact in 32 bits, so that one seed gives one sequence
// in every language.

import { badArgument } from './error.js';

export class Random {
  declare private a: number;
  declare private b: number;
  declare private c: number;
  declare private d: number;

  constructor(seed: number) {
    const word = (): number => {
      seed = (seed + 0x9e3779b9) | 0;
      let mixed = seed ^ (seed >>> 16);
      mixed = Math.imul(mixed, 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return mixed ^ (mixed >>> 15);
    };
    this.a = word();
    this.b = word();
    this.c = word();
    this.d = word();
  }

  /** The next word, 0 to 2^32 - 1. */
  next(): number {
    const { b } = this;
    const word = Math.imul(rotated(Math.imul(b, 5), 7), 9);
    this.c ^= this.a;
    this.d ^= b;
    this.b = b ^ this.c;
    this.a ^= this.d;
    this.c ^= b << 9;
    this.d = rotated(this.d, 11);
    return word >>> 0;
  }
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

export function isWord(seed: unknown): seed is number {
  return typeof seed === 'number' && seed >>> 0 === seed;
}

export function checkSeed(seed: unknown): number {
  if (!isWord(seed)) badArgument('seed', 'a whole number below 2^32', seed);
  return seed;
}
