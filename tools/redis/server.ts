/** A real redis-server for tests: on a port and in a folder of its own. It ends with the process that started it, at the latest. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const running = new Set<RedisServer>();
process.on('exit', () => {
  for (const server of running) server.end();
});

/** One that is free at the moment. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Options are those of the program, `--appendonly yes`. */
export async function startRedis(...options: readonly string[]): Promise<RedisServer> {
  for (let tries = 1; ; tries++) {
    const server = new RedisServer(await freePort(), options);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.stop();
      if (tries === 3) throw error;
    }
  }
}

export class RedisServer {
  readonly port: number;
  readonly url: string;
  readonly #options: readonly string[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'steptree-redis-'));
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #said = '';

  constructor(port: number, options: readonly string[]) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.#options = options;
  }

  /** Settles when it answers: what it has kept is loaded then. */
  async start(): Promise<void> {
    const own = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder];
    const child = spawn('redis-server', [...own, '--save', '', ...this.#options], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    running.add(this);
    const failed = new Promise<never>((_, reject) => {
      child.on('error', () => {
        reject(new Error('redis-server is missing: tools/setup test installs it'));
      });
      child.on('exit', () => reject(new Error(`redis-server has ended: ${this.#said}`)));
    });
    failed.catch(() => {});
    this.#ended = new Promise((resolve) => {
      child.on('error', resolve);
      child.on('exit', resolve);
    });
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#said = (this.#said + text).slice(-2000);
      });
    await Promise.race([this.#answers(), failed]);
  }

  /** As a machine that fails. `start()` brings it back. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }

  /** It doesn't answer till it's sent `SIGCONT`. */
  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** For good. */
  async stop(): Promise<void> {
    await this.kill();
    running.delete(this);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Of a process that ends at once. */
  end(): void {
    this.#child?.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #answers(): Promise<void> {
    while (!(await this.#pings())) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  #pings(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write('PING\r\n'));
      socket.setEncoding('utf8').on('data', (text: string) => {
        socket.destroy();
        resolve(/^(?:\+PONG|-NOAUTH)/.test(text));
      });
      socket.on('error', () => resolve(false));
    });
  }
}
