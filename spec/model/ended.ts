/** The end of a line. */
import type { Hold, Line } from './shape.js';

/** [sync-108] */
export function ended(line: Line): void {
  line.closed = true;
  for (let last = line.holds.at(-1); last !== undefined; last = line.holds.at(-1)) last.giveBack();
}

export function holds(line: Line, hold: Hold): void {
  line.holds.push(hold);
}

export function holdsNot(line: Line, what: object, how: string): void {
  line.holds = line.holds.filter((hold) => hold.what !== what || hold.how !== how);
}
