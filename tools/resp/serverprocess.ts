import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ServerCommand } from './servers.js';

/** What a server says of itself, see `Counters` of the example. */
export interface Statistics {
  requests: number;
  errors: number;
  rejected: number;
  accepted: number;
  refused: number;
  cancelled: number;
  failed: number;
  connections: number;
  flowsAlive: number;
  waiters: number;
  /** That have yet to fire. */
  timers: number;
}

/** What is left when all clients have gone. */
export const nothingLeft = { connections: 0, flowsAlive: 0, waiters: 0, timers: 0, failed: 0 };

/** A server in a process of its own, on a free port of the loopback interface. It ends with this process. */
export class ServerProcess {
  readonly name: string;
  readonly port: number;
  /** Of its inspector's page, if it was started with `--inspect`. */
  readonly url: string | undefined;
  /** Its exit code, or the signal that has killed it. */
  readonly ended: Promise<string>;
  private readonly child: ChildProcess;
  private readonly lines: AsyncIterator<string>;

  private constructor(
    name: string,
    port: number,
    url: string | undefined,
    child: ChildProcess,
    lines: AsyncIterator<string>,
  ) {
    this.name = name;
    this.port = port;
    this.url = url;
    this.child = child;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve(String(code ?? signal)));
    });
    this.lines = lines;
  }

  static async start(server: ServerCommand, options: string[] = []): Promise<ServerProcess> {
    const args = [...server.args, '--until-stdin-ends', ...options];
    const asked = server.tellsHeap ? 'ipc' : 'ignore';
    const child = spawn(server.command, args, { stdio: ['pipe', 'pipe', 'inherit', asked] });
    const failed = new Promise<never>((_, reject) => child.once('error', reject));
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const next = async (what: string, form: RegExp): Promise<string> => {
      const { value } = await Promise.race([lines.next(), failed]);
      const found = form.exec(value ?? '')?.[1];
      if (found) return found;
      child.kill('SIGKILL');
      throw new Error(`the ${server.name} server said ${JSON.stringify(value)}, not its ${what}`);
    };
    const port = Number(await next('port', /^listening on 127\.0\.0\.1:(\d+)$/));
    const url = options.includes('--inspect')
      ? await next('page', /^inspector at (http:\S+)$/)
      : undefined;
    return new ServerProcess(server.name, port, url, child, lines);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** What its heap holds after a collection, in MB; NaN of one that doesn't tell. */
  async heapMb(): Promise<number> {
    if (!this.child.connected) return NaN;
    const told = once(this.child, 'message') as Promise<[number]>;
    this.child.send('heap');
    const [bytes] = await told;
    return bytes / 2 ** 20;
  }

  /**
   * Ends it in good order; what it counted is its last word. One that has said it may be ended by the signal, as Ctrl-C was there before: Node
   * takes no signals any more when it's about to end.
   */
  async stop(how: 'SIGTERM' | 'stdin' = 'SIGTERM'): Promise<Statistics> {
    if (how === 'stdin') this.child.stdin!.end();
    else this.child.kill(how);
    const last = await this.lines.next();
    const end = await this.ended;
    const isEnded = end === '0' || (end === how && !last.done);
    if (!isEnded) throw new Error(`the ${this.name} server ended with ${end}`);
    return JSON.parse(last.value) as Statistics;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}
