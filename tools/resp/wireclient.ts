import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { endOf } from './respvalues.js';

/** A client that sends exactly the bytes that it is told to; bytes are strings of one byte a character. */
export class WireClient {
  /** All that has come and was not taken. */
  received = '';
  /** How the server has left: not yet, in good order, or by breaking the connection. */
  end: 'open' | 'closed' | 'broken' = 'open';
  private readonly socket: Socket;
  private changed: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.received += text;
      this.changed();
    });
    socket.on('end', () => this.ended('closed'));
    socket.on('error', () => this.ended('broken'));
  }

  static async connect(port: number): Promise<WireClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    await once(socket, 'connect');
    return new WireClient(socket);
  }

  send(bytes: string): void {
    this.socket.write(bytes, 'latin1');
  }

  /** Sends a command with these arguments. */
  command(...args: string[]): void {
    this.send(encode(args));
  }

  /** Waits for exactly these many bytes more and takes them. */
  async take(length: number): Promise<string> {
    await this.until(() => this.received.length >= length);
    const taken = this.received.slice(0, length);
    this.received = this.received.slice(length);
    return taken;
  }

  /** Waits for one reply of any kind and takes it, with all its bytes. */
  async takeReply(): Promise<string> {
    let end = -1;
    await this.until(() => (end = endOf(this.received, 0)) >= 0);
    return this.take(end);
  }

  /** Waits for a bulk string and takes it: its text. */
  async takeBulk(): Promise<string> {
    const reply = await this.takeReply();
    return reply.slice(reply.indexOf('\n') + 1, -2);
  }

  /** Waits until the server has closed; all that was left. */
  async rest(): Promise<string> {
    await this.until(() => this.end !== 'open');
    return this.received;
  }

  /** From now on nothing is taken from the socket. */
  stopReading(): void {
    this.socket.pause();
  }

  resumeReading(): void {
    this.socket.resume();
  }

  /** Bytes that were sent and that the other side's kernel has not accepted. */
  get unsent(): number {
    return this.socket.writableLength;
  }

  /** Closes the own direction. */
  finish(): void {
    this.socket.end();
  }

  /** Vanishes: `reset` as a crashed machine's stack does, else as a killed process does. */
  kill(reset = false): void {
    if (reset) this.socket.resetAndDestroy();
    else this.socket.destroy();
  }

  private async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.end !== 'open') {
        throw new Error(`the server has left (${this.end}) after ${JSON.stringify(this.received)}`);
      }
      await new Promise<void>((resolve) => (this.changed = resolve));
    }
  }

  private ended(how: 'closed' | 'broken'): void {
    if (this.end === 'open') this.end = how;
    this.changed();
  }
}

export function encode(args: string[]): string {
  return `*${args.length}\r\n${args.map((arg) => `$${arg.length}\r\n${arg}\r\n`).join('')}`;
}
