// Payloads as texts. What comes from Redis may be written by anybody: it's looked at before it's parsed.

import { mistake } from './redisoptions.js';

/** Bytes that a text has as UTF-8, without making them. */
function bytesOf(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/** How deep arrays and objects lie in each other; more than `most` isn't counted. */
function depthOf(text: string, most: number): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let i = 0; i < text.length && deepest <= most; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) isText = !isText;
    else if (isText) {
      if (unit === 0x5c) i++;
    } else if (unit === 0x5b || unit === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (unit === 0x5d || unit === 0x7d) depth--;
  }
  return deepest;
}

/** What JSON can't say, or what is too large or too deep, is a mistake of the caller. */
export function jsonOf(
  call: string,
  value: unknown,
  { maxBytes, maxDepth }: { maxBytes: number; maxDepth: number },
): string {
  let text: unknown;
  let why = '';
  try {
    text = JSON.stringify(value);
  } catch (error) {
    why = `: ${(error as Error)?.message}`;
  }
  if (typeof text !== 'string') throw mistake(`${call}: expected what JSON can say${why}`);
  const bytes = bytesOf(text);
  if (bytes > maxBytes) throw mistake(`${call}: it has ${bytes} bytes, ${maxBytes} are allowed`);
  if (depthOf(text, maxDepth) > maxDepth)
    throw mistake(`${call}: it is more than ${maxDepth} levels deep`);
  return text;
}

/** Throws why it's no payload, or whatever it is. */
export function payloadIn(text: string, mostDepth: number, what = 'its payload'): unknown {
  if (depthOf(text, mostDepth) > mostDepth)
    throw new Error(`${what} is more than ${mostDepth} levels deep`);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${what} is no JSON`);
  }
}
