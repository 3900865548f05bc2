import { say } from './progress.js';

/** Prints rows under a head: the first column to the left, the others to the right. */
export function table(rows: (string | number)[][]): void {
  const texts = rows.map((row) => row.map((cell) => cell.toLocaleString('en')));
  const widths = texts[0]!.map((_, i) => Math.max(...texts.map((row) => row[i]!.length)));
  for (const [at, row] of texts.entries()) {
    const cells = row.map((cell, i) =>
      i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!),
    );
    say(`    ${cells.join('   ')}`);
    if (at === 0) say(`    ${widths.map((width) => '-'.repeat(width)).join('   ')}`);
  }
}
