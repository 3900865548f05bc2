import type { IAsyncSteps, ICompletion } from '../../src/index.js';
import type { Shared } from './client.js';
import { Parser, type Command } from './parser.js';
import type { ByteSocket } from './socket.js';

/** Label of the loop that serves a client; breaking it ends the connection in good order. */
export const serving = 'serving';

/**
 * The client's end of the line: commands are received from it and replies sent to it, each by steps. At most one step
 * waits for input (`more`) and at most one for output (`room`).
 */
export class Peer {
  /** The command that the client waits in ends with him: set while it waits. */
  waiting = false;
  private readonly socket: ByteSocket;
  private readonly shared: Shared;
  private readonly gone: (why: string) => void;
  private readonly parser: Parser;
  private command: Command | undefined;
  private more: ICompletion | undefined;
  private room: ICompletion | undefined;
  private output = '';
  private flushing = false;
  private ended = false;
  private lost = false;
  private finishing = false;
  private hurried = false;

  /** `gone` is told when the client can't be served any further. */
  constructor(socket: ByteSocket, shared: Shared, gone: (why: string) => void) {
    this.socket = socket;
    this.shared = shared;
    this.gone = gone;
    this.parser = new Parser(shared.limits);
  }

  /** The result is the next command; leaves the loop `serving` when none will come. Code: `ProtocolError`. */
  receive(asi: IAsyncSteps): void {
    if (this.look(asi)) {
      asi.success(this.command);
      return;
    }
    const { idleMs, requestMs } = this.shared.limits;
    // A client may rest between two commands; one that he has begun must come to its end. Bytes may come between any two
    // steps, so a step looks before it waits.
    asi.add((step) => {
      if (!this.parser.partial) this.wait(step, idleMs);
    });
    asi.add((step) => {
      if (requestMs > 0) step.setTimeout(requestMs);
      step.loop((round) => {
        if (this.look(round)) round.breakNoThrow();
        else this.wait(round, 0);
      });
    });
    asi.add((step) => step.success(this.command));
  }

  /** Completes when the client has taken so much that what is left is within the limit. */
  send(asi: IAsyncSteps, reply: string): void {
    const { output, outputMs } = this.shared.limits;
    this.output += reply;
    if (this.output.length + this.socket.pending <= output) {
      this.flushLater();
      return;
    }
    this.flush();
    if (this.socket.pending <= output) return;
    if (outputMs > 0) asi.setTimeout(outputMs);
    this.room = asi.waitExternal();
  }

  /** Says goodbye: what is written goes out, then both sides close, within the limit; `Timeout` after it. */
  finish(asi: IAsyncSteps): void {
    this.finishing = true;
    if (this.lost) return;
    this.flush();
    this.socket.shutdown();
    this.socket.resume();
    const { lingerMs } = this.shared.limits;
    if (lingerMs > 0) asi.setTimeout(lingerMs);
    asi.add((step) => {
      if (this.socket.pending > 0) this.room = step.waitExternal();
    });
    asi.add((step) => {
      if (!this.ended && !this.hurried) this.more = step.waitExternal();
    });
  }

  /** From here the running command waits. */
  waits(): void {
    this.waiting = true;
    if (this.ended) this.gone('the client has left');
  }

  /** No further command is received, and the goodbye doesn't wait for the client to close. */
  hurry(): void {
    this.hurried = true;
    this.wake();
  }

  received(bytes: Buffer): void {
    if (this.finishing) return;
    this.parser.feed(bytes);
    if (this.more) this.wake();
    else if (this.parser.pending > this.shared.limits.input) this.overfed();
  }

  taken(): void {
    const { output } = this.shared.limits;
    if (this.socket.pending <= (this.finishing ? 0 : output)) this.room?.success();
  }

  // What the client had sent before he closed is still answered, but nothing waits for his sake.
  left(): void {
    this.ended = true;
    if (this.more) this.wake();
    else if (this.waiting) this.gone('the client has left');
  }

  broken(): void {
    if (!this.finishing) this.gone('the connection is broken');
    this.ended = this.lost = true;
    this.room?.success();
    this.wake();
  }

  private look(asi: IAsyncSteps): boolean {
    this.command = this.parser.next();
    if (this.parser.error) asi.error('ProtocolError', this.parser.error);
    return this.command !== undefined;
  }

  private wait(asi: IAsyncSteps, ms: number): void {
    if (this.ended || this.hurried) asi.breakLoop(serving);
    if (ms > 0) asi.setTimeout(ms);
    this.more = asi.waitExternal();
    this.socket.resume();
  }

  private wake(): void {
    this.more?.success();
    this.more = undefined;
  }

  // While a command runs, its client is only made to wait; a command that waits has to see him go, so it goes on
  // reading, and he who sends too much meanwhile is dropped.
  private overfed(): void {
    if (this.waiting) this.gone('too much input while a command waits');
    else this.socket.pause();
  }

  // Replies to commands that came together leave together.
  private flushLater(): void {
    if (this.flushing) return;
    this.flushing = true;
    this.shared.tool.immediate(() => this.flush());
  }

  private flush(): void {
    this.flushing = false;
    if (this.output !== '') this.socket.write(this.output);
    this.output = '';
  }
}
