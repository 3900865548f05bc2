// A program in an address, behind the `#`, which no server sees: compressed, in letters that an address may have.

/** What is longer is no program: a few bytes of an address may stand for as many as the memory has. */
const mostBytes = 1_000_000;

async function through(
  bytes: BlobPart,
  stream: GenericTransformStream,
  most = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream as ReadableWritablePair);
  const reader = (piped as ReadableStream<Uint8Array>).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error(`The program of this link is too long: it has more than ${most / 1e6} MB.`);
    }
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Of what could be opened again. */
export async function packed(code: string): Promise<string> {
  if (new Blob([code]).size > mostBytes) throw new Error('The program is too long for a link.');
  let binary = '';
  for (const byte of await through(code, new CompressionStream('deflate-raw')))
    binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Fails in words for people. */
export async function unpacked(text: string): Promise<string> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  } catch {
    throw damaged();
  }
  const stream = new DecompressionStream('deflate-raw');
  const unpacked = await through(bytes, stream, mostBytes).catch((failure) => {
    throw failure instanceof TypeError ? damaged() : failure;
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(unpacked);
  } catch {
    throw damaged();
  }
}

const damaged = () =>
  new Error('The program of this link is damaged: a part of it is missing or another.');

export interface Asked {
  readonly code: string;
  /** What is to be known of it. */
  readonly words: string;
}

/** What the address has behind its `#`. What can't be read of it is no program, and nobody takes another one for it. */
export async function shared(): Promise<Asked | undefined> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return undefined;
  return unpacked(code).then(
    (code) => ({ code, words: 'Ready: it comes from a link, read it first' }),
    (failure) => ({ code: '', words: failure.message }),
  );
}
