import type { Socket } from 'node:net';

export type RawSocket = Socket;

/** What happens on a socket, told from the event loop. */
export interface SocketEvents {
  received(bytes: Buffer): void;
  /** The other side has closed its direction: nothing more will come. */
  left(): void;
  /** The connection is broken in both directions. */
  broken(): void;
  /** Something that was written has been taken. */
  taken(): void;
}

/** One TCP connection, as the server's steps need it. */
export class ByteSocket {
  private readonly socket: Socket;
  private events: SocketEvents | undefined;

  constructor(socket: RawSocket) {
    this.socket = socket;
    socket.setNoDelay(true);
  }

  /** Events come from now on until `destroy()`. */
  open(events: SocketEvents): void {
    this.events = events;
    this.socket.on('data', (bytes: Buffer) => this.events?.received(bytes));
    this.socket.on('end', () => this.events?.left());
    this.socket.on('error', () => this.events?.broken());
    this.socket.on('close', () => this.events?.broken());
  }

  /** Bytes that are written and not taken yet. */
  get pending(): number {
    return this.socket.writableLength;
  }

  write(bytes: string): void {
    this.socket.write(bytes, 'latin1', () => this.events?.taken());
  }

  /** No input comes until `resume()`. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Closes the own direction once all is written. */
  shutdown(): void {
    this.socket.end();
  }

  destroy(): void {
    this.events = undefined;
    this.socket.destroy();
  }
}
