// Who is let in: requests that know the token, and come from a page of this server or from no page at all.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

const MOST_BYTES = 4096;

export class Door {
  readonly token = randomBytes(24).toString('base64url');
  readonly #host: string;

  constructor(host: string) {
    this.#host = host.toLowerCase();
  }

  /** What is asked for behind the token; undefined: it isn't let in. */
  asked(request: IncomingMessage): string | undefined {
    const { url = '', headers } = request;
    const [, token = '', ...rest] = url.split('/');
    if (!this.#knows(token) || rest.length !== 1 || !this.#isOurs(headers.host)) return undefined;
    const { origin } = headers;
    if (origin !== undefined && origin !== `http://${headers.host}`) return undefined;
    return rest[0];
  }

  #knows(token: string): boolean {
    const [given, own] = [Buffer.from(token), Buffer.from(this.token)];
    return given.length === own.length && timingSafeEqual(given, own);
  }

  /** A name of somebody else's that leads here isn't: only addresses, and what it was told to listen at. */
  #isOurs(host = ''): boolean {
    const name = host.replace(/:\d+$/, '').toLowerCase();
    const address = name.replace(/^\[(.*)\]$/, '$1');
    return name === 'localhost' || isIP(address) !== 0 || address === this.#host;
  }
}

/** What was sent, if it is JSON and short. */
export async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      length += (chunk as Buffer).length;
      if (length > MOST_BYTES) return undefined;
      chunks.push(chunk as Buffer);
    }
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined; // it was aborted, or is no JSON
  }
}
