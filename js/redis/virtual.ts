/** Guards over a real Redis in virtual time: the clock moves on once all that was asked is answered, and all that was told is heard. */
import { randomUUID } from 'node:crypto';
import { VirtualTool } from '../src/index.js';
import { type NodeRedisClient, RedisConnection } from '../src/redis.js';
import type { Client } from './clients.js';

/** Where the time of the scripts begins: 0 would be no time at all. */
const begin = 1_000_000;

const last = 10_000_000;

export class VirtualRedis {
  readonly tool = new VirtualTool();
  readonly shop: RedisConnection;
  readonly #client: NodeRedisClient;
  readonly #channel = `settled ${randomUUID()}`;
  readonly #asked = new Set<PromiseLike<unknown>>();
  #isQuiet = false;
  #heard = () => {};

  constructor({ client }: Client) {
    const real = (this.#client = client as NodeRedisClient);
    const counted: NodeRedisClient = {
      isOpen: true,
      duplicate: () => real.duplicate(),
      sendCommand: (args) => {
        this.#isQuiet = false;
        const answer = real.sendCommand(args);
        const settled: PromiseLike<unknown> = answer.then(
          () => this.#asked.delete(settled),
          () => this.#asked.delete(settled),
        );
        this.#asked.add(settled);
        return answer;
      },
    };
    const timers = {
      clock: () => this.tool.now(),
      start: (fn: () => void, ms: number) => this.tool.deferred(Math.ceil(ms), fn) as any,
      stop: (timer: any) => timer.cancel(),
    };
    const now = () => begin + this.tool.now();
    this.shop = new RedisConnection(counted, { prefix: 'virtual' }, now, timers);
  }

  /** Until nothing is left to do, or, as leases are renewed for lines that wait for each other, for so long. */
  async run(): Promise<void> {
    const { tool } = this;
    await this.shop.listen(this.#channel, { heard: () => this.#heard(), again() {} });
    const { channel } = this.shop;
    channel.open('tests.tests', { told() {}, again() {}, closed() {} });
    channel.listen(); // it would be late: nothing waits for that
    while (!channel.hears) await new Promise((resolve) => setImmediate(resolve));
    for (;;) {
      await tool.advance(0);
      if (!this.#isQuiet) {
        this.#isQuiet = true;
        await this.#settle();
        continue;
      }
      const next = (tool as any).timers.first()?.due;
      if (next === undefined || next > last) return;
      await tool.advance(next - tool.now());
    }
  }

  /** What is told comes in order: when the last is heard, so is all before. */
  async #settle(): Promise<void> {
    while (this.#asked.size > 0) await Promise.all(this.#asked);
    const heard = new Promise<void>((resolve) => (this.#heard = resolve));
    await this.#client.sendCommand(['PUBLISH', this.#channel, '']);
    await heard;
  }

  close(): void {
    this.shop.close();
  }
}
