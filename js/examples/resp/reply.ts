/** Replies as they go over the wire: strings of bytes, one byte a character. */
export const ok = '+OK\r\n';
export const pong = '+PONG\r\n';
export const nullBulk = '$-1\r\n';
export const nullArray = '*-1\r\n';

export function errorReply(text: string): string {
  return `-${text.replace(/[\r\n]/g, ' ')}\r\n`;
}

export function integer(value: number | bigint): string {
  return `:${value}\r\n`;
}

export function bulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`;
}

/** An array of replies. */
export function array(items: string[]): string {
  return `*${items.length}\r\n${items.join('')}`;
}

export function bulkArray(texts: string[]): string {
  return array(texts.map(bulk));
}
