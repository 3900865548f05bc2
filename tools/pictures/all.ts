/** All pictures of the guide, as the files that they stand in. */
import { breaker } from './breaker.js';
import { cleanup } from './cleanup.js';
import { deadline } from './deadline.js';
import { draw } from './draw.js';
import { many } from './many.js';
import { tree } from './tree.js';
import { windows } from './windows.js';

/** Relative to the root of the project. */
export const folder = 'docs/pictures';

/** The text of each file, by its name. */
export async function files(): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  for (const picture of [tree, deadline, cleanup, many, windows, breaker]) {
    const shown = await picture();
    for (const theme of ['light', 'dark'] as const)
      made.set(`${shown.name}-${theme}.svg`, draw(shown, theme));
  }
  return made;
}
