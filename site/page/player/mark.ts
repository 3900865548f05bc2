// The line of the program that the last line of the trace speaks of is marked, where a browser can.

const name = 'step-now';

/** `a 1 "x"`, `a! Code`, `a~`, `g+`: what its name is. */
export function idOf(line: string | undefined): string | undefined {
  return line === undefined ? undefined : /^([\w-]+)/.exec(line)?.[1];
}

export function mark(code: Element, line: string | undefined): void {
  const highlights = (CSS as { highlights?: Map<string, unknown> }).highlights;
  if (highlights === undefined) return;
  highlights.delete(name);
  const id = idOf(line);
  if (id === undefined) return;
  const text = code.textContent ?? '';
  const found = new RegExp(`(?:^|[{,-] ?|^ *)\\w+: '?${id}'?(?![\\w-])`, 'm').exec(text);
  if (found === null) return;
  const from = text.lastIndexOf('\n', found.index + found[0].length - 1) + 1;
  const end = text.indexOf('\n', found.index + found[0].length);
  const range = rangeOf(code, from, end < 0 ? text.length : end);
  highlights.set(name, new Highlight(range));
}

/** From one place of its text to another. */
function rangeOf(element: Element, from: number, to: number): Range {
  const range = document.createRange();
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let at = 0;
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const { length } = node.textContent!;
    if (at <= from && from <= at + length) range.setStart(node, from - at);
    if (at <= to && to <= at + length) {
      range.setEnd(node, to - at);
      break;
    }
    at += length;
  }
  return range;
}
