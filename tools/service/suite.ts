/** What the example `service` promises, in each language. */
import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** The service in a process of its own, with what it has said. */
class Service {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #port = 0;

  private constructor(command: readonly string[], settings: Readonly<Record<string, string>>) {
    const env = { ...process.env, PORT: '0', ...settings };
    this.#child = spawn(command[0]!, command.slice(1), {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  static async start(
    command: readonly string[],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Service> {
    const service = new Service(command, settings);
    service.#port = Number(/^listening on (\d+)$/.exec(await service.line())?.[1]);
    return service;
  }

  async line(): Promise<string> {
    return (await this.#lines.next()).value ?? 'no more';
  }

  /** Status and text. */
  async get(path: string): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.#port}${path}`);
    return `${response.status} ${(await response.text()).trim()}`;
  }

  /** A client that says this, which may be nothing. */
  async client(says: string) {
    const socket = connect(this.#port, '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => {});
    if (says !== '') socket.write(says);
    return socket;
  }

  terminate(): void {
    this.#child.kill('SIGTERM');
  }

  async end(): Promise<unknown> {
    if (this.#child.exitCode !== null) return this.#child.exitCode;
    return (await once(this.#child, 'exit'))[0];
  }

  async stop(): Promise<void> {
    this.terminate();
    await this.end();
  }
}

export function serviceSuite(language: string, command: readonly string[]): void {
  describe(`the service in ${language}`, function () {
    this.timeout(60_000);
    let service: Service;

    async function start(settings?: Readonly<Record<string, string>>): Promise<Service> {
      return (service = await Service.start(command, settings));
    }
    afterEach(() => service.stop());

    it('answers, and says by a status what went wrong', async () => {
      await start();
      expect(await service.get('/wait/20')).to.equal('200 waited 20 ms');
      expect(await service.get('/wait/long')).to.equal('404 NotFound');
      expect(await service.get('/wait/5000')).to.equal('504 Timeout');
    });

    it('turns away who finds no place, and none in the queue', async () => {
      await start({ PLACES: '2', QUEUE: '3' });
      const said = await Promise.all(Array.from({ length: 9 }, () => service.get('/wait/200')));
      expect(said.filter((each) => each === '200 waited 200 ms')).to.have.length(5);
      expect(said.filter((each) => each === '503 DefenseRejected')).to.have.length(4);
    });

    it('gives the place of a client that has left to the next one', async () => {
      await start({ PLACES: '1', QUEUE: '1' });
      const client = await service.client('GET /wait/900 HTTP/1.1\r\nHost: a\r\n\r\n');
      const next = service.get('/wait/20'); // behind it, or it's gone already
      client.destroy();
      expect(await service.line()).to.equal('/wait/900: the client has left');
      expect(await service.line()).to.equal('/wait/20: waited 20 ms');
      expect(await next).to.equal('200 waited 20 ms');
    });

    it('answers those who have asked before it stops, and waits for nobody who says nothing', async () => {
      await start();
      const silent = await service.client('');
      const noise = await service.client('no HTTP\r\n\r\n');
      const asked = service.get('/wait/400');
      await service.get('/wait/50');
      service.terminate();
      expect(await asked).to.equal('200 waited 400 ms');
      expect(await service.end()).to.equal(0);
      for (;;) {
        const line = await service.line();
        expect(line).to.not.equal('no more');
        if (line === 'stopped, 0 cancelled') break;
      }
      silent.destroy();
      noise.destroy();
    });
  });
}
