// The calls of a service that this process waits for.
//
// - A call is asked, then sent, when Redis has said that it has it, then over: answered, refused, lost, or left.
// - What is left is cancelled in Redis until that has answered.

import { atOnce, CallSession, type Member } from './callsession.js';
import type { PlatformTimer } from './clock.js';
import { type Failure, makeFailure, failuresIn } from './failures.js';
import { errors } from './index.js';
import type { RedisService } from './redisservice.js';

/** What is asked for. */
export interface Request {
  readonly method: string;
  /** A list, as JSON. */
  readonly args: string;
  /** Milliseconds till its deadline; `Infinity`: it has none. */
  readonly left: number;
  /** `''`: none. */
  readonly traceparent: string;
}

/** Who waits for a reply: one of both is called, once, unless it's left. */
export interface Asker {
  replied(text: string): void;
  /** The error, then what has caused it. */
  failed(failures: readonly Failure[]): void;
}

class Asked {
  readonly id: string;
  readonly asker: Asker;
  /** Redis has it. */
  isSent = false;
  timer: PlatformTimer | undefined;

  constructor(id: string, asker: Asker) {
    this.id = id;
    this.asker = asker;
  }
}

export class Caller implements Member {
  readonly settled = '';
  readonly #service: RedisService<any>;
  readonly #calls = new Map<string, Asked>();
  /** What is on its way to Redis. It may come there behind what is said later: its script may not be known. */
  readonly #sending = new Set<string>();
  /** Of which Redis hasn't heard yet that nobody waits. */
  readonly #left = new Set<string>();
  #session: CallSession | undefined;
  #stopHearing: () => void = () => {};
  #count = 0;

  constructor(service: RedisService<any>) {
    this.#service = service;
  }

  /** What it gives leaves the call. */
  ask(request: Request, asker: Asker): () => void {
    this.#session?.check();
    const session = (this.#session ??= this.#begin());
    const asked = new Asked(`${session.id}/${this.#count++}`, asker);
    const { connection, limits } = this.#service;
    this.#calls.set(asked.id, asked);
    session.begin();
    const fail = () => this.#refused(asked, 'no answer in time');
    asked.timer = connection.timers.start(fail, limits.patience);
    void this.#send(session, asked, request);
    return () => {
      if (this.#take(asked.id)) this.#cancel([asked.id]);
    };
  }

  #begin(): CallSession {
    const session = new CallSession(this.#service, this);
    session.listen().catch(() => {}); // it's tried again
    this.#stopHearing = this.#service.connection.onClose(() => {
      this.#cancel([...this.#calls.keys()]);
      session.end();
      this.#lose('the connection was closed', errors.CallLost);
    });
    return session;
  }

  async #send(session: CallSession, asked: Asked, request: Request): Promise<void> {
    const { method, args, left, traceparent } = request;
    const { maxQueue } = this.#service.limits;
    const ms = left === Infinity ? '' : Math.max(1, Math.ceil(left));
    const most = maxQueue === Infinity ? '' : maxQueue;
    const isHeard = session.hears;
    let found: unknown;
    this.#sending.add(asked.id);
    try {
      found = await session.acknowledging((ids) =>
        session.live('send', asked.id, method, args, ms, traceparent, most, ...ids),
      );
    } catch (error) {
      return this.#refused(asked, String((error as Error)?.message ?? error));
    } finally {
      this.#sending.delete(asked.id);
      if (this.#left.has(asked.id)) this.#cancel([asked.id]);
    }
    if (this.#calls.get(asked.id) !== asked) return;
    if (found === 0) {
      this.#take(asked.id);
      const info = `service "${this.#service.name}": ${maxQueue} calls wait`;
      return asked.asker.failed([makeFailure(errors.DefenseRejected, info)]);
    }
    this.#isSent(asked);
    if (!isHeard && session.hears) void session.renew();
  }

  #isSent(asked: Asked): void {
    this.#service.connection.timers.stop(asked.timer!);
    asked.isSent = true;
  }

  /** Whether Redis has it isn't known: if it has, it forgets it. */
  #refused(asked: Asked, why: string): void {
    if (asked.isSent || this.#take(asked.id) === undefined) return;
    this.#cancel([asked.id]);
    asked.asker.failed([makeFailure(errors.RedisFailed, why)]);
  }

  #take(id: string): Asked | undefined {
    const asked = this.#calls.get(id);
    if (asked === undefined) return undefined;
    this.#calls.delete(id);
    this.#service.connection.timers.stop(asked.timer!);
    if (this.isIdle) this.#session?.rest();
    return asked;
  }

  #cancel(ids: readonly string[]): void {
    const session = this.#session;
    if (session === undefined) return;
    for (const id of ids) this.#left.add(id);
    for (let i = 0; i < ids.length; i += atOnce)
      this.#sendCancel(session, ids.slice(i, i + atOnce));
  }

  #sendCancel(session: CallSession, ids: readonly string[]): void {
    const sent = ids.filter((id) => !this.#sending.has(id)); // the others come again
    session.script('cancel', ...ids).then(
      () => {
        for (const id of sent) this.#left.delete(id);
        if (this.isIdle) session.rest();
      },
      () => {}, // by the next renewal
    );
  }

  #lose(why: string, unsent: string): void {
    this.#stopHearing();
    this.#session = undefined;
    this.#left.clear();
    for (const { id, isSent } of [...this.#calls.values()]) {
      const code = isSent ? errors.CallLost : unsent;
      this.#take(id)?.asker.failed([makeFailure(code, why)]);
    }
  }

  #answered(id: string, reply: string): void {
    this.#session!.acknowledge(id);
    const asked = this.#take(id);
    if (asked === undefined) return;
    if (reply.startsWith('+')) return asked.asker.replied(reply.slice(1));
    const failures = failuresIn(reply.slice(1));
    asked.asker.failed(
      failures.length > 0 ? failures : [makeFailure(errors.InternalError, 'the reply is none')],
    );
  }

  // ---- of its session

  get isIdle(): boolean {
    return this.#calls.size === 0 && this.#left.size === 0;
  }

  named(): string[] {
    const sent = [...this.#calls.values()].filter(({ isSent }) => isSent);
    return sent.map(({ id }) => id);
  }

  renews(): void {
    this.#cancel([...this.#left]);
  }

  said(id: string, reply: string): void {
    if (reply !== '') return this.#answered(id, reply);
    this.#take(id)?.asker.failed([makeFailure(errors.CallLost, 'Redis does not know it any more')]);
  }

  heard(text: string): void {
    const at = text.indexOf(' ');
    if (at >= 0) return this.#answered(text.slice(0, at), text.slice(at + 1));
    const asked = this.#calls.get(text);
    if (asked === undefined) return;
    this.#isSent(asked); // though that is told later
    void this.#session!.renew();
  }

  /** What is on its way, or may be, would begin the session anew there. */
  over(): void {
    const unsent = [...this.#calls.values()].filter(({ isSent }) => !isSent);
    this.#cancel([...this.#left, ...unsent.map(({ id }) => id)]);
    this.#lose('Redis was not reached for a lease', errors.RedisFailed);
  }

  /** Who waits hears of it in time. */
  report(): void {}
}
