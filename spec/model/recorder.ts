/** The last events of a tool, as lines. The rules of the observe chapter from observe-38 on. */
import { type Event, observe, type Observer } from './observe.js';
import { elementsOf } from './path.js';
import type { Tool } from './tool.js';

export interface Recorder {
  observer: Observer;
  lines: string[];
}

/** [observe-38] */
export function makeRecorder(tool: Tool, events: number, bodies: boolean): Recorder {
  const lines: string[] = [];
  const tell = (event: Event) => {
    lines.push(lineOf(tool, event));
    if (lines.length > events) lines.shift();
  };
  const observer = { tell, bodies };
  observe(tool, observer);
  return { observer, lines };
}

/** [observe-41] */
function lineOf(tool: Tool, { flow, step, what }: Event): string {
  const path = step === undefined ? '' : escaped(shortPath(elementsOf(step)));
  const words = [`${tool.now}`, shortName(flow.name) || '-', path, said(what)];
  return words.filter((word) => word !== '').join(' ');
}

/** What has a name is shortened: a code, or a guard's name in quotes. [observe-42] */
function said(what: string): string {
  const quoted = /^(waits .*?)(".*")(.*)$/s.exec(what);
  if (quoted !== null) {
    const [, before, name, behind] = quoted as unknown as [string, string, string, string];
    return `${before}${JSON.stringify(shortName(JSON.parse(name)))}${behind}`;
  }
  const failed = /^(handler|closed error|ended error) (.*)$/s.exec(what);
  return failed === null ? what : `${failed[1]} ${escaped(shortName(failed[2]!))}`;
}

/** [observe-42] */
function shortPath(elements: string[]): string {
  const short = elements.map(shortName);
  return (short.length > 16 ? [...short.slice(0, 8), '…', ...short.slice(-8)] : short).join('/');
}

/** [observe-42] */
function shortName(name: string): string {
  const characters = [...name];
  return characters.length > 64 ? `${characters.slice(0, 63).join('')}…` : name;
}

/** [observe-41]: what would break a line. */
function escaped(text: string): string {
  return [...text]
    .map((character) => (character < ' ' ? JSON.stringify(character).slice(1, -1) : character))
    .join('');
}
