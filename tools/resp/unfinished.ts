import { encode, type WireClient } from './wireclient.js';

// What a client may be in the middle of when it is killed.

const beginnings = [blocked, half, unread, busy];

/** One of four things, by turns. */
export function beginSomething(client: WireClient, turn: number): void {
  beginnings[turn % beginnings.length]!(client);
}

function blocked(client: WireClient): void {
  client.command('BLPOP', 'crowd', 'other', '0');
}

export function half(client: WireClient): void {
  client.send('*3\r\n$3\r\nSET\r\n$4\r\nhalf\r\n$1000\r\nhalf of it');
}

function unread(client: WireClient): void {
  client.stopReading();
  client.send(encode(['ECHO', 'x'.repeat(100_000)]).repeat(100));
}

function busy(client: WireClient): void {
  client.command('STEPTREE.SLEEP', '1000');
}
