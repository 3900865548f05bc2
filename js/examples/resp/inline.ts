/**
 * The words of an inline command: separated by blanks, in double quotes (with the escapes \n \r \t \b \a \xHH) or
 * in single ones (with \' only). undefined: quotes are not closed, or something clings to a closing one.
 */
export function splitInline(line: string): string[] | undefined {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    while (at < line.length && isBlank(line.charCodeAt(at))) at += 1;
    if (at >= line.length) return words;
    let word = '';
    while (at < line.length && !isBlank(line.charCodeAt(at))) {
      const quote = line[at]!;
      if (quote !== '"' && quote !== "'") {
        word += quote;
        at += 1;
        continue;
      }
      const part = quote === '"' ? readDouble(line, at + 1) : readSingle(line, at + 1);
      if (!part || (part.next < line.length && !isBlank(line.charCodeAt(part.next)))) {
        return undefined;
      }
      word += part.text;
      at = part.next;
    }
    words.push(word);
  }
}

interface Quoted {
  text: string;
  /** Where the line goes on after the closing quote. */
  next: number;
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' };

function readDouble(line: string, start: number): Quoted | undefined {
  let text = '';
  let at = start;
  while (at < line.length) {
    const char = line[at]!;
    if (char === '"') return { text, next: at + 1 };
    if (char !== '\\' || at + 1 >= line.length) {
      text += char;
      at += 1;
      continue;
    }
    const hex = line.slice(at + 2, at + 4);
    if (line[at + 1] === 'x' && /^[0-9a-fA-F]{2}$/.test(hex)) {
      text += String.fromCharCode(Number.parseInt(hex, 16));
      at += 4;
    } else {
      text += escapes[line[at + 1]!] ?? line[at + 1]!;
      at += 2;
    }
  }
  return undefined;
}

function readSingle(line: string, start: number): Quoted | undefined {
  let text = '';
  let at = start;
  while (at < line.length) {
    const char = line[at]!;
    if (char === "'") return { text, next: at + 1 };
    const escaped = char === '\\' && line[at + 1] === "'";
    text += escaped ? "'" : char;
    at += escaped ? 2 : 1;
  }
  return undefined;
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
