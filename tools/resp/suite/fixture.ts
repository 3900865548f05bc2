import { expect } from 'chai';
import { nothingLeft, ServerProcess, type Statistics } from '../serverprocess.js';
import type { ServerCommand } from '../servers.js';
import { WireClient } from '../wireclient.js';

/** A running server for the tests of one `describe`, and a connection of its own that asks for its counters. */
export class Fixture {
  private process: ServerProcess | undefined;
  private control: WireClient | undefined;
  private asked = 0;

  private readonly clients: WireClient[] = [];

  /**
   * Registers mocha's hooks: the server starts before the first test; after the last the clients go, and then nothing of them
   * must be left.
   */
  constructor(server: ServerCommand, options: string[] = []) {
    before(async () => {
      this.process = await ServerProcess.start(server, options);
      this.control = await WireClient.connect(this.process.port);
    });
    after(async () => {
      for (const client of this.clients) client.kill();
      try {
        await this.idle();
        expect(await this.process!.stop()).to.include(nothingLeft);
      } finally {
        this.process!.kill();
        this.control!.kill();
      }
    });
  }

  get port(): number {
    return this.process!.port;
  }

  /** The client is killed after the last test. */
  async connect(): Promise<WireClient> {
    const client = await WireClient.connect(this.port);
    this.clients.push(client);
    return client;
  }

  connectMany(count: number): Promise<WireClient[]> {
    return Promise.all(Array.from({ length: count }, () => this.connect()));
  }

  /** The server's counters without those who ask for them. */
  async statistics(): Promise<Statistics> {
    // Where connections have a time limit, this one has too.
    if (this.control!.end !== 'open') {
      this.control!.kill();
      this.control = await WireClient.connect(this.port);
    }
    this.asked += 1;
    this.control!.command('STEPTREE.STATS');
    const json = await this.control!.takeBulk();
    const counted = JSON.parse(json) as Statistics;
    return {
      ...counted,
      requests: counted.requests - this.asked,
      connections: counted.connections - 1,
      flowsAlive: counted.flowsAlive - 1,
    };
  }

  /** Asks for the counters until they are so; mocha's time limit ends it. */
  async until(condition: (counted: Statistics) => boolean): Promise<Statistics> {
    for (;;) {
      const counted = await this.statistics();
      if (condition(counted)) return counted;
    }
  }

  /** Nothing is left of any client. */
  idle(): Promise<Statistics> {
    return this.until(({ flowsAlive, waiters }) => flowsAlive === 0 && waiters === 0);
  }
}
