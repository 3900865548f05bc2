import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { WireClient } from './wireclient.js';

export interface WireCase {
  name: string;
  send: string;
  reply: string;
  then: 'open' | 'closed';
  rest?: string;
  answer?: string;
  finish?: boolean;
}

export function readWireCases(): WireCase[] {
  return parse(readFileSync(join(import.meta.dirname, 'wire.yaml'), 'utf8')) as WireCase[];
}

/** All that the server on `port` says to the case; a connection that it leaves open is ended by QUIT. */
export async function playWireCase(
  port: number,
  wire: WireCase,
  oneByOne = false,
): Promise<string> {
  const client = await WireClient.connect(port);
  try {
    const send = async (bytes: string) => {
      for (const part of oneByOne ? bytes : [bytes]) client.send(part);
    };
    await send(wire.send);
    if (wire.finish) client.finish();
    let said = '';
    if (wire.rest !== undefined) {
      said = await client.take(wire.reply.length);
      await send(wire.rest);
    }
    if (wire.then === 'open') await send('QUIT\r\n');
    return said + (await client.rest());
  } finally {
    client.kill();
  }
}

/** What `playWireCase` should have returned. */
export function expectedOf(wire: WireCase): string {
  return wire.reply + (wire.answer ?? '') + (wire.then === 'open' ? '+OK\r\n' : '');
}
