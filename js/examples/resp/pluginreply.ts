import { errors, StepError } from '../../src/index.js';
import { array, bulk, integer, nullBulk } from './reply.js';

// Between commands and the values of plug-ins.

/** An argument, which may be any bytes. */
export function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** A text of a plug-in as a string of bytes. */
export function wordsOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/**
 * What a plug-in has left as a reply: a string or bytes are a bulk string, whole numbers and bools are integers, lists and several values
 * are arrays, nothing is the null bulk. Throws `InternalError` for anything else.
 */
export function replyOf(left: unknown[]): string {
  return left.length > 1 ? array(left.map(oneReplyOf)) : oneReplyOf(left[0]);
}

function oneReplyOf(value: unknown): string {
  if (value === undefined || value === null) return nullBulk;
  if (typeof value === 'string') return bulk(wordsOf(value));
  if (Buffer.isBuffer(value)) return bulk(value.toString('latin1'));
  if (typeof value === 'bigint') return integer(value);
  if (typeof value === 'number') return wholeOf(value);
  if (typeof value === 'boolean') return integer(value ? 1 : 0);
  if (Array.isArray(value)) return array(value.map(oneReplyOf));
  const isMap = Object.getPrototypeOf(value) === Object.prototype;
  return refuseReply(isMap ? 'a map' : 'something opaque');
}

function wholeOf(number: number): string {
  if (!Number.isInteger(number) || Math.abs(number) >= 2 ** 63) refuseReply('a fraction');
  return integer(BigInt(number));
}

function refuseReply(what: string): never {
  throw new StepError(errors.InternalError, `no command replies with ${what}`);
}
