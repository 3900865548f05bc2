/** The text with its comments and the inside of its strings blanked: what is left is code, at the same places. */
export type Language = 'cpp' | 'js';

const blank = (text: string) => text.replace(/[^\n]/g, ' ');
/** No operator looks like this. */
const inString = (text: string) => text.replace(/[^\n]/g, '\u00b7');

const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const text = /"(?:\\.|[^"\\\n])*"/y;
const letter = /'(?:\\.|[^'\\\n])*'/y;
const regex = /(?<=[(=,:!&|?]\s*)\/(?![/*])(?:\\.|\[[^\]\n]*\]|[^/\\\n])+\/[a-z]*/y;

export function mask(source: string, lang: Language): string {
  let masked = '';
  for (let at = 0; at < source.length; at = masked.length) {
    masked += opaque(source, at, lang) ?? source[at];
  }
  return masked;
}

/** The comment or string that begins here, blanked. */
function opaque(source: string, at: number, lang: Language): string | undefined {
  const c = source[at];
  if (c === '/') {
    const found = match(comment, source, at);
    if (found !== undefined) return blank(found);
    return lang === 'js' ? dotted(match(regex, source, at)) : undefined;
  }
  if (c === '"') return dotted(match(text, source, at));
  // In C++ it may stand between the digits of a number.
  if (c === "'" && !/\w/.test(source[at - 1] ?? '')) return dotted(match(letter, source, at));
  if (c === '`' && lang === 'js') return dotted(source.slice(at, endOfTemplate(source, at)));
  return undefined;
}

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

function dotted(found: string | undefined): string | undefined {
  if (found === undefined) return undefined;
  return found[0] + inString(found.slice(1, -1)) + found.at(-1);
}

function endOfTemplate(source: string, start: number): number {
  let depth = 0;
  for (let at = start + 1; at < source.length; at++) {
    const c = source[at];
    if (c === '\\') at++;
    else if (c === '$' && source[at + 1] === '{') depth++;
    else if (c === '}' && depth > 0) depth--;
    else if (c === '`' && depth === 0) return at + 1;
  }
  return source.length;
}

/** The place after the bracket that closes the one at `open`, in masked text. */
export function afterBracket(masked: string, open: number): number {
  let depth = 0;
  for (let at = open; at < masked.length; at++) {
    if ('([{'.includes(masked[at]!)) depth++;
    else if (')]}'.includes(masked[at]!) && --depth === 0) return at + 1;
  }
  return masked.length;
}

export function isBalanced(code: string): boolean {
  let depth = 0;
  for (const c of code) {
    if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c) && --depth < 0) return false;
  }
  return depth === 0;
}
