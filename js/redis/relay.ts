/** What clients, or replicas, connect to in place of a server: it leads to whichever is the master, or to nobody for a while. */
import { connect, createServer, type Server, type Socket } from 'node:net';

export class Relay {
  url = '';
  port = 0;
  #target: number;
  readonly #server: Server;
  /** Where to each leads. */
  readonly #sockets = new Map<Socket, Socket>();

  constructor(port: number) {
    this.#target = port;
    this.#server = createServer({ noDelay: true }, (socket) => {
      const other = connect(this.#target, '127.0.0.1').setNoDelay();
      for (const [from, to] of [
        [socket, other],
        [other, socket],
      ] as const) {
        this.#sockets.set(from, to);
        from.on('error', () => {});
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    ({ port: this.port } = this.#server.address() as { port: number });
    this.url = `redis://127.0.0.1:${this.port}`;
  }

  /** What is sent from now on comes with `goOn`. */
  hold(): void {
    for (const socket of this.#sockets.keys()) socket.unpipe();
  }

  goOn(): void {
    for (const [from, to] of this.#sockets) from.pipe(to);
  }

  /** All have to connect again, and what was held is lost. */
  lead(port: number): void {
    this.#target = port;
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  stop(): void {
    this.#server.close();
    this.lead(0);
  }
}
