/** What lines have of guards. */
import type { Hold, Line } from './shape.js';

export function holds(line: Line, hold: Hold): void {
  line.holds.push(hold);
}

export function holdsNot(line: Line, what: object, how: string): void {
  line.holds = line.holds.filter((hold) => hold.what !== what || hold.how !== how);
}
