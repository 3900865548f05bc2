// A program in an address, behind the `#`, which no server sees: compressed, in letters that an address may have.

async function through(bytes: BlobPart, stream: GenericTransformStream): Promise<ArrayBuffer> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream as ReadableWritablePair);
  return new Response(piped).arrayBuffer();
}

export async function packed(code: string): Promise<string> {
  const bytes = new Uint8Array(await through(code, new CompressionStream('deflate-raw')));
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export async function unpacked(text: string): Promise<string> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')));
}
