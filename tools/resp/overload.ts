import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { RespValues } from './respvalues.js';
import { encode } from './wireclient.js';

export interface Load {
  clients: number;
  /** Commands of a client that are sent together. */
  pipeline: number;
  perSecond: number;
  seconds: number;
}

export interface Tally {
  sent: number;
  served: number;
  rejected: number;
  /** Replies that were neither the command's own nor a refusal. */
  wrong: string[];
  /** From the first command to the last. */
  ms: number;
}

export const rejection = /^-DEFENSEREJECTED limiter: the queue is full, retry_after \d+ ms\r\n$/;

/** One connection: each command says which it is, so its reply has to say the same, or that it's refused. */
class Sender {
  private readonly socket: Socket;
  private readonly replies = new RespValues();
  private readonly expected: string[] = [];
  private answered = 0;

  constructor(port: number, tally: Tally, changed: () => void) {
    this.socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
    this.socket.on('data', (bytes: string) => {
      for (const reply of this.replies.feed(bytes)) this.answer(reply, tally);
      changed();
    });
  }

  ready(): Promise<unknown> {
    return once(this.socket, 'connect');
  }

  send(first: number, count: number): void {
    let bytes = '';
    for (let i = first; i < first + count; i += 1) {
      const text = String(i);
      this.expected.push(`$${text.length}\r\n${text}\r\n`);
      bytes += encode(['ECHO', text]);
    }
    this.socket.write(bytes, 'latin1');
  }

  close(): void {
    this.socket.destroy();
  }

  private answer(reply: string, tally: Tally): void {
    const expected = this.expected[this.answered];
    if (reply === expected) tally.served += 1;
    else if (rejection.test(reply) && expected) tally.rejected += 1;
    else tally.wrong.push(reply);
    this.expected[this.answered] = '';
    this.answered += 1;
  }
}

/** Sends commands at that rate, whether they are answered or not, then waits until all are. */
export async function overload(port: number, load: Load): Promise<Tally> {
  const tally: Tally = { sent: 0, served: 0, rejected: 0, wrong: [], ms: 0 };
  let changed = () => {};
  const make = () => new Sender(port, tally, () => changed());
  const senders = Array.from({ length: load.clients }, make);
  await Promise.all(senders.map((sender) => sender.ready()));
  const start = performance.now();
  while (tally.ms < load.seconds * 1000) {
    tally.ms = performance.now() - start;
    while (tally.sent < (tally.ms / 1000) * load.perSecond) {
      const sender = senders[(tally.sent / load.pipeline) % load.clients]!;
      sender.send(tally.sent, load.pipeline);
      tally.sent += load.pipeline;
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  while (tally.served + tally.rejected + tally.wrong.length < tally.sent) {
    await new Promise<void>((resolve) => (changed = resolve));
  }
  for (const sender of senders) sender.close();
  return tally;
}
