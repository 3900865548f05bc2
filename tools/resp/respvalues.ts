/** Cuts a stream of RESP, of either direction, into its values: each with all its bytes, one a character. */
export class RespValues {
  private rest = '';

  feed(bytes: string): string[] {
    const text = this.rest + bytes;
    const values: string[] = [];
    let at = 0;
    for (let end = endOf(text, at); end >= 0; end = endOf(text, at)) {
      values.push(text.slice(at, end));
      at = end;
    }
    this.rest = text.slice(at);
    return values;
  }
}

/** Where the value that begins there ends; -1: its end has not come. */
export function endOf(text: string, at: number): number {
  const line = text.indexOf('\r\n', at);
  if (line < 0) return -1;
  let end = line + 2;
  const length = Number(text.slice(at + 1, line));
  if (text[at] === '$' && length >= 0) end += length + 2;
  if (text[at] === '*') {
    for (let i = 0; i < length && end >= 0; i += 1) end = endOf(text, end);
  }
  return end <= text.length ? end : -1;
}
