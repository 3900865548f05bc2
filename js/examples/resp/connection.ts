import { errors, type IAsyncSteps, type IOutcome, type StepError } from '../../src/index.js';
import type { Client, Shared } from './client.js';
import { runCommand } from './commands.js';
import { clientLimiter, type MaybeLimiter } from './limiters.js';
import type { Command } from './parser.js';
import { Peer, serving } from './peer.js';
import { errorReply } from './reply.js';
import { ByteSocket, type RawSocket } from './socket.js';

export type Closed = (outcome: IOutcome) => void;

/** One client, one flow: it receives a command, runs it, sends the reply, until one of the two sides leaves. */
export class Connection implements Client {
  readonly id: number;
  readonly shared: Shared;
  readonly limiter: MaybeLimiter;
  name = '';
  leaving = false;
  private readonly socket: ByteSocket;
  private readonly peer: Peer;
  private readonly gone = new AbortController();

  constructor(id: number, shared: Shared, socket: RawSocket) {
    this.id = id;
    this.shared = shared;
    this.limiter = clientLimiter(shared.limits);
    this.socket = new ByteSocket(socket);
    this.peer = new Peer(this.socket, shared, (why) => this.gone.abort(why));
    this.socket.open(this.peer);
  }

  /** Serves the client; `closed` is called once, when nothing of the flow is left. */
  serve(closed: Closed): void {
    this.execute(closed, (asi) => {
      asi.add(
        (step) => {
          const { connectionMs } = this.shared.limits;
          if (connectionMs > 0) step.setTimeout(connectionMs);
          step.loop((round) => this.serveOne(round), serving);
        },
        (step, code) => this.excuse(step, code),
        'serve',
      );
    });
  }

  /** Tells the client why he isn't served. */
  refuse(why: string, closed: Closed): void {
    this.execute(closed, (asi) => this.peer.send(asi, errorReply(why)));
  }

  /** The command that runs is the last. */
  stop(): void {
    this.leaving = true;
    this.peer.hurry();
  }

  waits(): void {
    this.peer.waits();
  }

  private serveOne(asi: IAsyncSteps): void {
    if (this.leaving) {
      asi.breakNoThrow();
      return;
    }
    asi.add((step) => this.peer.receive(step), undefined, 'receive');
    asi.add(
      (step, command: Command) => {
        this.shared.counters.requests += 1;
        runCommand(step, this, command);
      },
      (step, code) => {
        this.shared.counters.errors += 1;
        step.success(errorReply(this.explain(code, step.state)));
      },
      'command',
    );
    asi.add(
      (step, reply: string) => {
        this.peer.waiting = false;
        this.peer.send(step, reply);
      },
      undefined,
      'reply',
    );
  }

  private explain(code: string, { error_info, last_exception }: IAsyncSteps['state']): string {
    if (code === errors.Timeout) return 'ERR the command has taken too long';
    if (code === errors.InternalError) return `ERR internal error: ${error_info}`;
    if (code !== errors.DefenseRejected) return `${code} ${error_info}`;
    this.shared.counters.rejected += 1;
    const { retry_after } = last_exception as StepError;
    const later = retry_after === undefined ? '' : `, retry_after ${retry_after} ms`;
    return `DEFENSEREJECTED ${error_info}${later}`;
  }

  // Whose time is over is left without a word: a client who is slow would not read it.
  private excuse(asi: IAsyncSteps, code: string): void {
    if (code === errors.Timeout) {
      asi.success();
    } else if (code === 'ProtocolError') {
      this.shared.counters.errors += 1;
      const reply = errorReply(`ERR Protocol error: ${asi.state.error_info}`);
      asi.add((step) => this.peer.send(step, reply));
    }
  }

  private execute(closed: Closed, body: (asi: IAsyncSteps) => void): void {
    const run = (asi: IAsyncSteps) => {
      asi.defer((step) => this.leave(step));
      body(asi);
    };
    // A flow that is cancelled before it has begun has nothing deferred.
    const done = (outcome: IOutcome) => {
      this.socket.destroy();
      closed(outcome);
    };
    this.shared.scope.start(run, { signal: this.gone.signal, done });
  }

  // However it has come to its end, also when it was cancelled: what was answered goes out.
  private leave(asi: IAsyncSteps): void {
    asi.add(
      (step) => this.peer.finish(step),
      (step, code) => {
        if (code === errors.Timeout) step.success();
      },
    );
  }
}
