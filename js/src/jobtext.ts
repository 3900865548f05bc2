// Payloads as texts. What comes from Redis may be written by anybody: it's looked at before it's parsed.

import { mistake } from './redisoptions.js';

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without a platform's
declare const globalThis: {
  readonly Buffer: { byteLength(text: string): number } | undefined;
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
};

const utf8 = /* @__PURE__ */ new globalThis.TextEncoder();

/** That a text has as UTF-8. Node has what makes none of them. */
function bytesOf(text: string): number {
  return globalThis.Buffer?.byteLength(text) ?? utf8.encode(text).length;
}

const [opens, closes, quotes, escapes] = [1, 2, 3, 4];

/** What a byte means in JSON; 0: nothing. */
const meaning = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, byte) => {
  const at = '[{]}"\\'.indexOf(String.fromCharCode(byte));
  return at < 0 ? 0 : [opens, opens, closes, closes, quotes, escapes][at]!;
});

/** Whether there are more than so many beginnings of arrays and objects, also within texts. The platform is quick at that: most texts have few, or soon many. */
function hasMore(text: string, most: number): boolean {
  let count = 0;
  for (const begin of '[{')
    for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, at + 1))
      if (++count > most) return true;
  return false;
}

/** Whether arrays and objects lie deeper in each other. Payloads are large: bytes are looked at in half the time of characters. */
function isDeeper(text: string, most: number): boolean {
  if (!hasMore(text, most)) return false;
  const bytes = utf8.encode(text);
  let depth = 0;
  let isText = false;
  for (let i = 0; i < bytes.length; i++) {
    const what = meaning[bytes[i]!]!;
    if (what === 0) continue;
    if (what === quotes) isText = !isText;
    else if (isText) i += Number(what === escapes);
    else if (what === closes) depth--;
    else if (what === opens && ++depth > most) return true;
  }
  return false;
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
  if (isDeeper(text, maxDepth)) throw mistake(`${call}: it is more than ${maxDepth} levels deep`);
  return text;
}

/** Throws why it's no payload, or whatever it is. */
export function payloadIn(text: string, mostDepth: number, what = 'its payload'): unknown {
  if (isDeeper(text, mostDepth)) throw new Error(`${what} is more than ${mostDepth} levels deep`);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${what} is no JSON`);
  }
}
