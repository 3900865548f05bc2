import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { RespValues } from './respvalues.js';

interface Due {
  to: Socket;
  request: string;
}

/**
 * Stands between redis-benchmark and a server. redis-benchmark knows no rate and ends at the first error reply; here its commands go
 * on at a given rate, and refusals reach it as `+` instead of `-`. What passes is counted.
 */
export class Relay {
  requests = 0;
  served = 0;
  rejected = 0;
  /** When the first command has gone on, and the last. */
  first = 0;
  last = 0;
  private readonly listener: Server;
  private readonly due: Due[] = [];
  private readonly ticking: NodeJS.Timeout;
  private allowed = 0;
  private ticked = performance.now();

  private constructor(serverPort: number, perSecond: number) {
    this.listener = createServer((client) => this.join(client, serverPort));
    this.ticking = setInterval(() => this.tick(perSecond), 2);
  }

  static async start(serverPort: number, perSecond: number): Promise<Relay> {
    const relay = new Relay(serverPort, perSecond);
    relay.listener.listen(0, '127.0.0.1');
    await once(relay.listener, 'listening');
    return relay;
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  close(): void {
    clearInterval(this.ticking);
    this.listener.close();
  }

  private join(client: Socket, serverPort: number): void {
    const server = connect(serverPort, '127.0.0.1');
    const requests = new RespValues();
    const replies = new RespValues();
    for (const socket of [client, server]) socket.setNoDelay(true).setEncoding('latin1');
    client.on('data', (bytes: string) => {
      for (const request of requests.feed(bytes)) this.due.push({ to: server, request });
    });
    server.on('data', (bytes: string) => {
      const all = replies.feed(bytes).map((reply) => this.count(reply));
      client.write(all.join(''), 'latin1');
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  }

  private count(reply: string): string {
    if (!reply.startsWith('-DEFENSEREJECTED ')) {
      this.served += 1;
      return reply;
    }
    this.rejected += 1;
    return `+${reply.slice(1)}`;
  }

  // A rest isn't made up for: the rate is never exceeded.
  private tick(perSecond: number): void {
    const now = performance.now();
    this.allowed += ((now - this.ticked) / 1000) * perSecond;
    this.ticked = now;
    const count = Math.min(this.due.length, Math.floor(this.allowed));
    for (const { to, request } of this.due.splice(0, count)) to.write(request, 'latin1');
    this.allowed = this.due.length === 0 ? 0 : this.allowed - count;
    if (count === 0) return;
    this.requests += count;
    this.first ||= now;
    this.last = now;
  }
}
