import { createServer, type AddressInfo, type Server as Listener } from 'node:net';
import { type AsyncTool, Scope } from '../../src/index.js';
import type { Counters, Shared } from './client.js';
import { Connection, type Closed } from './connection.js';
import { type MaybeLimiter, serverLimiter } from './limiters.js';
import type { Limits } from './limits.js';
import { Plugins } from './plugins.js';
import type { RawSocket } from './socket.js';
import { Store } from './store.js';
import { Waiters } from './waiters.js';

function flowOptions({ burst, lingerMs }: Limits): { burst: number; grace: number } {
  // The goodbye has its own limit.
  return { burst, grace: lingerMs > 0 ? lingerMs + 1000 : Infinity };
}

/** Accepts clients on the loopback interface and keeps their connections. */
export class Server implements Shared {
  readonly tool: AsyncTool;
  readonly scope: Scope;
  readonly limits: Limits;
  readonly limiter: MaybeLimiter;
  readonly store: Store;
  readonly plugins: Plugins;
  readonly waiters = new Waiters();
  readonly counters: Counters = {
    requests: 0,
    errors: 0,
    rejected: 0,
    accepted: 0,
    refused: 0,
    cancelled: 0,
    failed: 0,
  };
  private readonly listener: Listener;
  private readonly served = new Set<Connection>();
  private readonly refused = new Set<Connection>();
  private lastId = 0;
  private stopping = false;

  constructor(tool: AsyncTool, limits: Limits) {
    this.tool = tool;
    this.scope = new Scope({ tool, name: 'client', ...flowOptions(limits) });
    this.limits = limits;
    this.limiter = serverLimiter(limits);
    this.store = new Store(tool);
    this.plugins = new Plugins(this.store);
    this.listener = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
  }

  /** Port 0: a free one. `ready` is told which. */
  listen(port: number, ready: (port: number) => void): void {
    this.listener.listen(port, '127.0.0.1', 511, () => {
      ready((this.listener.address() as AddressInfo).port);
    });
  }

  /**
   * Accepts nobody any more; the commands that run are answered, within the limit, then what is left is cancelled. `stopped` is called
   * when no flow is left.
   */
  stop(stopped: () => void): void {
    this.stopping = true;
    this.listener.close();
    for (const connections of [this.served, this.refused]) {
      for (const connection of connections) connection.stop();
    }
    const { drainMs } = this.limits;
    void this.scope.drain(drainMs > 0 ? drainMs : Infinity, 'the server stops').then(() => {
      this.store.clear();
      stopped();
    });
  }

  statistics(): string {
    return JSON.stringify({
      ...this.counters,
      connections: this.served.size,
      flowsAlive: this.served.size + this.refused.size,
      waiters: this.waiters.size,
      timers: this.tool.armedTimers(),
    });
  }

  // Who is refused gets a farewell too, but not more of them at a time than there are clients.
  private accept(socket: RawSocket): void {
    const { connections } = this.limits;
    if (this.stopping) {
      socket.destroy();
    } else if (this.served.size < connections) {
      this.counters.accepted += 1;
      const connection = this.keep(this.served, socket);
      connection.serve(this.whenClosed(this.served, connection));
    } else if (this.refused.size < connections) {
      this.counters.refused += 1;
      const connection = this.keep(this.refused, socket);
      const closed = this.whenClosed(this.refused, connection);
      connection.refuse('ERR max number of clients reached', closed);
    } else {
      socket.destroy();
    }
  }

  private keep(connections: Set<Connection>, socket: RawSocket): Connection {
    this.lastId += 1;
    const connection = new Connection(this.lastId, this, socket);
    connections.add(connection);
    return connection;
  }

  private whenClosed(connections: Set<Connection>, connection: Connection): Closed {
    return (outcome) => {
      if (outcome.kind === 'cancelled') this.counters.cancelled += 1;
      if (outcome.kind === 'error') {
        this.counters.failed += 1;
        process.stderr.write(`client ${connection.id}: ${outcome.code}\n`);
      }
      connections.delete(connection);
    };
  }
}
