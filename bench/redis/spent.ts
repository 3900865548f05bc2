/** What a redis-server says that it has done so far, and what its clients have asked. */
import { connect, type Socket } from 'node:net';
import type { Redis } from 'ioredis';

export interface Spent {
  /** Commands that it has run, those inside of scripts too. */
  readonly commands: number;
  /** That came and went. */
  readonly bytes: number;
  /** Milliseconds of the CPU. */
  readonly cpu: number;
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)![1]);
}

export async function spent(redis: Redis): Promise<Spent> {
  const text = await redis.info('everything');
  let commands = 0;
  for (const [, calls] of text.matchAll(/^cmdstat_(?!info:)[^:]+:calls=(\d+)/gm))
    commands += Number(calls);
  const bytes = field(text, 'total_net_input_bytes') + field(text, 'total_net_output_bytes');
  const cpu = 1000 * (field(text, 'used_cpu_sys') + field(text, 'used_cpu_user'));
  return { commands, bytes, cpu };
}

/** Counts what clients ask, which `INFO` can't tell from what scripts do. It slows all down: nothing is timed meanwhile. */
export class Monitor {
  asked = 0;
  readonly #socket: Socket;
  #rest = '';

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1', () => this.#socket.write('MONITOR\r\n'));
    this.#socket.setEncoding('latin1').on('data', (text: string) => this.#count(text));
  }

  close(): void {
    this.#socket.destroy();
  }

  #count(text: string): void {
    const lines = (this.#rest + text).split('\r\n');
    this.#rest = lines.pop()!;
    for (const line of lines) if (/^\+[\d.]+ \[\d+ (?!lua\])/.test(line)) this.asked++;
  }
}
