/** What tests of calls share: a server of Redis, a service of a name of its own for each test, and servers, which are drained behind it. */
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import {
  type AnyMethods,
  type Handlers,
  type NodeRedisClient,
  RedisConnection,
  RedisService,
  type RedisServiceOptions,
  serve,
  type ServeOptions,
  type Server,
} from '../src/redis.js';
import './scripts.js';
import { type Client, clients } from './clients.js';

export class Calls {
  server!: RedisServer;
  client!: Client;
  shop!: RedisConnection;
  readonly #servers: Server[] = [];
  readonly #others: { shop: RedisConnection; client: Client }[] = [];
  readonly #name: keyof typeof clients;
  #count = 0;

  constructor(name: keyof typeof clients = 'redis', ...options: string[]) {
    this.#name = name;
    before(async () => {
      this.server = await startRedis(...options);
      this.client = await clients[name](this.server.url);
      this.shop = new RedisConnection(this.client.client, { prefix: 'shop' });
    });
    afterEach(async () => {
      await Promise.all(this.#servers.splice(0).map((server) => server.drain(0)));
      for (const { shop, client } of this.#others.splice(0)) {
        shop.close();
        client.close();
      }
    });
    after(async () => {
      this.shop?.close();
      this.client?.close();
      await this.server?.stop();
    });
  }

  service<S = AnyMethods>(options?: RedisServiceOptions): RedisService<S> {
    return new RedisService<S>(this.shop, `service ${++this.#count}`, options);
  }

  /** The same service as another process has it. */
  async other<S>(
    service: RedisService<S>,
    options?: RedisServiceOptions,
  ): Promise<RedisService<S>> {
    const client = await clients[this.#name](this.server.url);
    const shop = new RedisConnection(client.client, { prefix: 'shop' });
    this.#others.push({ shop, client });
    return new RedisService<S>(shop, service.name, options);
  }

  /** The same as another process has it that gets its answers so much later, or whose commands of that word go that late. */
  slow<S>(service: RedisService<S>, ms: number, word?: string): RedisService<S> {
    const real = this.client.client as NodeRedisClient;
    const wait = () => new Promise((resolve) => setTimeout(resolve, ms));
    const client: NodeRedisClient = {
      isOpen: true,
      duplicate: () => real.duplicate(),
      async sendCommand(args) {
        if (word !== undefined && args.includes(word)) await wait();
        const answer = await real.sendCommand(args);
        if (word === undefined) await wait();
        return answer;
      },
    };
    const shop = new RedisConnection(client, { prefix: 'shop' });
    this.#others.push({ shop, client: { client, close() {} } });
    return new RedisService<S>(shop, service.name);
  }

  serve<S>(service: RedisService<S>, handlers: Handlers<S>, options?: ServeOptions): Server {
    const server = serve(service, handlers, options);
    this.#servers.push(server);
    return server;
  }

  /** The keys of a service that there are. */
  async keys({ base }: RedisService<any>): Promise<string[]> {
    const keys: string[] = await this.shop.command('', 'KEYS', '*');
    return keys
      .filter((key) => key.startsWith(base))
      .map((key) => key.slice(base.length))
      .sort();
  }

  /** How many calls wait for a server. */
  waiting({ base }: RedisService<any>): Promise<number> {
    return this.shop.command(base, 'ZCARD', `${base}:queue`);
  }
}
