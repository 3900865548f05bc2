/** How counted instructions are held against figures that were checked in. */

/** Instructions an operation takes, by scenario. */
export type Figures = Readonly<Record<string, number>>;

/** By compiler: its name, version and target, as the counted program tells them. */
export type Book = Readonly<Record<string, Figures>>;

const share = 0.02;
const least = 3;
const strange = 3;

export function tolerance(figure: number): number {
  return Math.max(least, figure * share);
}

/** What is wrong, a line for each scenario; empty if all is well. */
export function findings(counted: Figures, figures: Figures): string[] {
  const wrong: string[] = [];
  for (const [scenario, now] of Object.entries(counted)) {
    const then = figures[scenario];
    if (then === undefined) {
      wrong.push(`${scenario}: no figure is checked in`);
    } else if (Math.abs(now - then) > tolerance(then)) {
      wrong.push(`${scenario}: ${now} instructions instead of ${then}`);
    }
  }
  for (const scenario of Object.keys(figures)) {
    if (!(scenario in counted)) wrong.push(`${scenario}: has a figure, but was not counted`);
  }
  return wrong;
}

/** For a compiler without figures: far away from what any other one has come to, something else is broken. */
export function oddities(counted: Figures, book: Book): string[] {
  return Object.entries(counted).flatMap(([scenario, now]) => {
    const known = Object.values(book).flatMap((figures) => figures[scenario] ?? []);
    const low = Math.min(...known) / strange;
    const high = Math.max(...known) * strange;
    if (known.length === 0 || (now >= low && now <= high)) return [];
    return [`${scenario}: ${now} instructions, where other compilers need ${known.join(', ')}`];
  });
}
