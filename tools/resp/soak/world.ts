import { setTimeout as delay } from 'node:timers/promises';
import { WireClient } from '../wireclient.js';

/** Limits that clients of all kinds run into. A process that stands still for `patienceMs` is late for them. */
export function limitsFor(patienceMs: number) {
  return {
    connections: 150,
    serverRate: 500,
    serverPeriodMs: 250,
    serverConcurrent: 15,
    serverQueue: 20,
    output: 65_536,
    input: 65_536,
    commandMs: 1000,
    lingerMs: 500,
    requestMs: patienceMs,
    outputMs: patienceMs,
    idleMs: 1.2 * patienceMs,
    connectionMs: 2.5 * patienceMs,
  };
}

export type Limits = ReturnType<typeof limitsFor>;

const refusal = '-ERR max number of clients reached\r\n';
const throttled = /^-DEFENSEREJECTED limiter: the queue is full, retry_after \d+ ms\r\n$/;
const late = '-ERR the command has taken too long\r\n';
const crowded = '-DEFENSEREJECTED limiter: the queue is full\r\n';

/** What all clients of a soak share. */
export class World {
  readonly port: number;
  readonly limits: Limits;
  /** Whole numbers below `n`. */
  readonly chance: (n: number) => number;
  /** What nobody should have seen. */
  readonly wrong: string[] = [];
  replies = 0;
  rejected = 0;
  refused = 0;
  /** The longest wait for a first reply: at least so long something has stood still, a client, the server or the machine. */
  slowestMs = 0;

  constructor(port: number, limits: Limits, chance: (n: number) => number) {
    this.port = port;
    this.limits = limits;
    this.chance = chance;
  }

  /** A client from its connection, begun at `start`, to its end. */
  async serve(use: (client: WireClient, start: number) => Promise<void>): Promise<void> {
    const start = performance.now();
    const client = await this.join();
    try {
      await use(client, start);
    } catch (error) {
      // On a busy machine a client may still be talking when its connection is too old.
      if (performance.now() - start < this.limits.connectionMs) throw error;
    } finally {
      client.kill();
    }
  }

  /** A connection that the server serves; it tries again while there are too many. */
  async join(): Promise<WireClient> {
    for (;;) {
      const client = await this.tryJoin();
      if (client) return client;
      await delay(20 + this.chance(50));
    }
  }

  /** Nothing: there are too many, and the server has said so, or had no time for that. */
  async tryJoin(): Promise<WireClient | undefined> {
    const start = performance.now();
    const client = await WireClient.connect(this.port);
    client.command('PING');
    const reply = await client.takeReply().catch(() => refusal);
    this.slowestMs = Math.max(this.slowestMs, performance.now() - start);
    if (reply !== refusal) {
      this.check(reply, '+PONG\r\n');
      return client;
    }
    this.refused += 1;
    client.kill();
    return undefined;
  }

  /** Whether a limiter has refused the command, or has let it wait too long. */
  rejects(reply: string): boolean {
    const rejected = throttled.test(reply) || reply === crowded || reply === late;
    if (rejected) this.rejected += 1;
    return rejected;
  }

  /** A reply has to be the command's own, if it isn't rejected. */
  check(reply: string, expected: string): void {
    this.replies += 1;
    if (reply !== expected && !this.rejects(reply)) {
      this.wrong.push(`${cut(reply)} instead of ${cut(expected)}`);
    }
  }

  expect(truth: boolean, what: string): void {
    if (!truth) this.wrong.push(what);
  }
}

function cut(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}
