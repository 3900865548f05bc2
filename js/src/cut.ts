// Texts of a program as pages get them: names may be as long as they like, what is sent may not.

const MOST = 200;

/** Its beginning, without half of a character at the end. */
export function cut(text: string, most = MOST): string {
  if (text.length <= most) return text;
  const end = (text.charCodeAt(most - 2) & 0xfc00) === 0xd800 ? most - 2 : most - 1;
  return `${text.slice(0, end)}…`;
}

/** Its end. */
export function cutFront(text: string, most = MOST): string {
  if (text.length <= most) return text;
  const end = text.slice(1 - most);
  return `…${(end.charCodeAt(0) & 0xfc00) === 0xdc00 ? end.slice(1) : end}`;
}

/** Of a path that has more elements the middle is left out. */
export function cutPath(elements: readonly string[], most = 16): string {
  const short = (element: string) => cut(element, 60);
  if (elements.length <= most) return elements.map(short).join('/');
  const half = most / 2;
  return [...elements.slice(0, half).map(short), '…', ...elements.slice(-half).map(short)].join(
    '/',
  );
}
