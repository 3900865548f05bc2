// What a recorder has as text, and how much of a name it keeps.

import type { RecordedEvent } from './irecording.js';
import { quoted } from './waittext.js';

/** Characters of a name, and elements at each end of a path. */
const LONGEST = 64;
export const PATH_ENDS = 8;

export function shortName(name: string): string;
export function shortName<T>(name: string | T): string | T;
export function shortName<T>(name: string | T): string | T {
  return typeof name === 'string' && name.length > LONGEST ? cut(name) : name;
}

/** A text of its own: a part of another one would keep all of that. */
function cut(name: string): string {
  const characters = Array.from(name.slice(0, 2 * (LONGEST + 1)));
  if (characters.length <= LONGEST) return name;
  return [...characters.slice(0, LONGEST - 1), '…'].join('');
}

/** When, which flow, where, what; and what the event says. */
export function eventText(event: RecordedEvent): string {
  const { what, time, flow, path = '', kind, outcome, code = '', waits } = event;
  const said = what === 'opened' ? kind : (waits ?? outcome);
  const where = `${time} flow ${flow.id}${quoted(flow.name)}`;
  const words = [where, escaped(path), what, said, escaped(code)];
  return words.filter(Boolean).join(' ');
}

/** What would break a line. */
function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it's for these
  return text.replace(/[\0-\x1f]/g, (character) => JSON.stringify(character).slice(1, -1));
}
