import { splitInline } from './inline.js';
import type { Limits } from './limits.js';
import { parseInteger } from './numbers.js';

/** A command's name and arguments: strings of bytes, one byte a character. */
export type Command = string[];

const star = 42;
const dollar = 36;
const carriageReturn = 13;
const lineFeed = 10;
const nothing: Buffer = Buffer.alloc(0);

/**
 * Turns bytes as they come into commands. Invariant: what lies before `at` is consumed; a command that has begun is in
 * `args`, `missing` of its arguments have not come yet, `length` is that of the next one (-1: not known yet).
 */
export class Parser {
  /** Why the input is no RESP; once set, nothing more is parsed. */
  error = '';
  private readonly limits: Limits;
  private bytes: Buffer = nothing;
  private at = 0;
  private end = 0;
  private args: Command = [];
  private missing = 0;
  private length = -1;
  private size = 0;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** Bytes that have come and are not parsed. */
  get pending(): number {
    return this.end - this.at;
  }

  /** A command has begun and is not complete. */
  get partial(): boolean {
    return this.missing > 0 || this.pending > 0;
  }

  feed(chunk: Buffer): void {
    if (this.pending === 0) {
      this.bytes = chunk;
      this.at = 0;
      this.end = chunk.length;
      return;
    }
    if (this.end + chunk.length > this.bytes.length) this.grow(chunk.length);
    chunk.copy(this.bytes, this.end);
    this.end += chunk.length;
  }

  /** The next complete command; undefined: it has not come yet, or `error` is set. */
  next(): Command | undefined {
    while (this.error === '') {
      const before = this.at;
      if (this.missing > 0) {
        if (!this.argument()) return undefined;
      } else if (this.pending === 0) {
        this.rest();
        return undefined;
      } else if (this.bytes[this.at] === star) {
        this.header();
      } else {
        this.inline();
      }
      if (this.missing === 0 && this.args.length > 0) return this.take();
      if (this.at === before) return undefined;
    }
    return undefined;
  }

  /** A client who rests keeps no room that a big command has needed. */
  private rest(): void {
    this.bytes = nothing;
    this.at = 0;
    this.end = 0;
  }

  private take(): Command {
    const command = this.args;
    this.args = [];
    this.size = 0;
    return command;
  }

  private header(): void {
    const line = this.line('too big mbulk count string');
    if (line === undefined) return;
    const count = parseInteger(line);
    if (count === undefined || count > this.limits.args) this.error = 'invalid multibulk length';
    else this.missing = Math.max(0, Number(count));
  }

  private inline(): void {
    const feed = this.find(lineFeed);
    if ((feed < 0 ? this.pending : feed - this.at) > this.limits.line) {
      this.error = 'too big inline request';
    }
    if (feed < 0 || this.error !== '') return;
    const bare = feed > this.at && this.bytes[feed - 1] === carriageReturn;
    const words = splitInline(this.bytes.toString('latin1', this.at, bare ? feed - 1 : feed));
    this.at = feed + 1;
    if (words) this.args = words;
    else this.error = 'unbalanced quotes in request';
  }

  /** Takes one argument, or its length; false: more bytes are needed. */
  private argument(): boolean {
    if (this.length < 0 && !this.argumentLength()) return false;
    if (this.pending < this.length + 2) return false;
    this.args.push(this.bytes.toString('latin1', this.at, this.at + this.length));
    this.at += this.length + 2;
    this.length = -1;
    this.missing -= 1;
    return true;
  }

  private argumentLength(): boolean {
    const kind = this.bytes[this.at];
    const text = this.line('too big bulk count string');
    if (text === undefined) return false;
    if (kind !== dollar) {
      this.error = `expected '$', got '${String.fromCharCode(kind!)}'`;
      return false;
    }
    const length = parseInteger(text);
    if (length === undefined || length < 0n || length > this.limits.bulk) {
      this.error = 'invalid bulk length';
      return false;
    }
    this.length = Number(length);
    this.size += this.length;
    if (this.size > this.limits.request) this.error = 'too big request';
    return this.error === '';
  }

  /** What stands between the first character of a line and its end; undefined: the end has not come. */
  private line(tooBig: string): string | undefined {
    const end = this.find(carriageReturn);
    if ((end < 0 ? this.pending : end - this.at) > this.limits.line) {
      this.error = tooBig;
      return undefined;
    }
    if (end < 0 || end + 1 >= this.end) return undefined;
    const text = this.bytes.toString('latin1', this.at + 1, end);
    this.at = end + 2;
    return text;
  }

  private find(byte: number): number {
    const found = this.bytes.indexOf(byte, this.at);
    return found < this.end ? found : -1;
  }

  /** Doubles the room, so that a client that sends byte by byte costs no copy a byte. */
  private grow(more: number): void {
    const rest = this.pending;
    const room = Buffer.allocUnsafe(Math.max(2 * rest, rest + more));
    this.bytes.copy(room, 0, this.at, this.end);
    this.bytes = room;
    this.at = 0;
    this.end = rest;
  }
}
