/** A program with ids and names in the order in which they stand in it: a, b, c; p, k, n by their kind. */
import type { Program } from '../case.js';

const ids = new Set([
  ...['step', 'loop', 'repeat', 'forEach', 'map', 'parallel', 'race', 'any', 'await', 'sync'],
  ...['all', 'steps', 'catch', 'shield', 'retry', 'hedge', 'defer', 'log', 'source'],
]);

export function renamed(program: Program): Program {
  const names = new Map<string, string>();
  const name = (old: string) => {
    if (old === '' || old.includes(' ')) return old;
    if (!names.has(old)) names.set(old, letters(names.size));
    return names.get(old) as string;
  };
  const rename = (part: unknown, key = ''): unknown => {
    if (typeof part === 'string') return ids.has(key) ? name(part) : part;
    if (Array.isArray(part)) return part.map((item) => rename(item));
    if (typeof part !== 'object' || part === null) return part;
    const entries = Object.entries(part).map(([inner, value]) => [inner, rename(value, inner)]);
    return Object.fromEntries(entries);
  };
  return { ...program, ...(rename({ ...program }) as Program), case: program.case };
}

function letters(number: number): string {
  const letter = String.fromCharCode('a'.charCodeAt(0) + (number % 26));
  return number < 26 ? letter : `${letter}${Math.floor(number / 26)}`;
}

/** What two programs have in common that differ in names and numbers only. */
export function shapeOf(program: Program): string {
  const { case: _, rules: __, seed: ___, ...rest } = program;
  const texts = new Map<string, string>();
  return JSON.stringify(rest, (key, value) => {
    if (typeof value === 'number') return 0;
    if (typeof value !== 'string' || key === '') return value;
    if (!texts.has(value)) texts.set(value, `${texts.size}`);
    return texts.get(value);
  });
}
