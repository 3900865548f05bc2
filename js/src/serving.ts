// A server: takes calls as long as it has room, runs a flow for each, and replies.
//
// A session whose lease is over isn't used any more, and with it all calls that it has taken: the next one begins with none.

import { CallSession, type Member } from './callsession.js';
import { type Failure, makeFailure, failuresOf } from './failures.js';
import { errors, type IOutcome, type Step } from './index.js';
import { jsonOf, payloadIn } from './jobtext.js';
import { withPath } from './report.js';
import type { RedisService } from './redisservice.js';
import type { Server, ServeOptions } from './serve.js';
import { HeldCall, type TakenCall } from './servedcall.js';
import { Taker, type TakerSettings } from './taker.js';

export type ServerSettings = TakerSettings & {
  readonly accepts: NonNullable<ServeOptions['accepts']>;
  readonly around: NonNullable<ServeOptions['around']>;
};

const longestPause = 1000;

export class Serving extends Taker implements Server, Member {
  readonly #service: RedisService<any>;
  readonly #handlers: ReadonlyMap<string, Step>;
  readonly #settings: ServerSettings;
  readonly #held = new Map<string, HeldCall>();
  #session: CallSession | undefined;
  #takes = 0;
  /** What is left while the answer that gives it is on its way; undefined: none is. */
  #leftEarly: Set<string> | undefined;
  #hasEnded = false;

  constructor(
    service: RedisService<any>,
    handlers: ReadonlyMap<string, Step>,
    settings: ServerSettings,
  ) {
    super(settings, [service.connection]);
    this.#service = service;
    this.#handlers = handlers;
    this.#settings = settings;
    this.look();
  }

  protected override async take(): Promise<void> {
    const session = (this.#session ??= new CallSession(this.#service, this));
    await session.listen();
    const room = Math.min(this.room, 1000);
    if (room <= 0 || this.draining) return;
    const left = (this.#leftEarly = new Set<string>());
    let found: [TakenCall[], number];
    try {
      found = await session.live('take', room, this.#service.limits.maxBytes, ++this.#takes);
    } finally {
      this.#leftEarly = undefined;
    }
    const [all, more] = found;
    const calls = all.filter(([id]) => !left.has(id));
    if (more === 1) this.look();
    if (session.isOver || this.draining) return this.#putBack(session, calls);
    for (const each of calls) {
      const call = new HeldCall(this.#service, session, each);
      this.#held.set(call.id, call);
      this.run(this.#outcomeOf(call), (outcome) => this.#settled(call, outcome));
    }
  }

  /** As if it had not taken them. */
  async #putBack(session: CallSession, calls: readonly TakenCall[]): Promise<void> {
    if (session.isOver) this.look();
    if (calls.length > 0) await session.script('putback', ...calls.map(([id]) => id));
  }

  protected override leave(): Promise<unknown>[] {
    return this.#session === undefined ? [] : [this.#session.script('leave', 0)];
  }

  protected override stop(): void {
    for (const call of this.#held.values()) call.stop('drained');
  }

  protected override end(): (() => Promise<unknown>)[] {
    const session = this.#session;
    this.#hasEnded = true;
    session?.end();
    this.#lose(); // what couldn't be answered
    return session === undefined ? [] : [() => session.script('leave', 1)];
  }

  /** Failures: it's no call for a handler. */
  async #outcomeOf(call: HeldCall): Promise<IOutcome | Failure> {
    const { method } = call.call;
    const handler = this.#handlers.get(method);
    if (handler === undefined)
      return makeFailure(
        errors.UnknownMethod,
        `service "${this.#service.name}" has no "${method}"`,
      );
    let args: unknown[];
    try {
      args = this.#argumentsOf(call);
    } catch (error) {
      return makeFailure(errors.InvalidCall, String((error as Error)?.message ?? error));
    }
    const bound = handler.with(args, call.call);
    return this.#run(call, call.left < 0 ? bound : bound.timeout(call.left));
  }

  /** Whatever is around it, it's run once. */
  #run(call: HeldCall, limited: Step): Promise<IOutcome> {
    const name = this.#nameOf(call);
    return new Promise((done) => {
      let hasStarted = false;
      const start = () => {
        if (hasStarted) return;
        hasStarted = true;
        this.scope.start(limited, { done, signal: call.signal, name });
      };
      try {
        this.#settings.around(call.call, start);
      } catch (error) {
        this.report(error);
      }
      start();
    });
  }

  #nameOf({ call }: HeldCall): string {
    return `${call.service}.${call.method}`;
  }

  #argumentsOf({ args, call }: HeldCall): unknown[] {
    const { maxDepth } = this.#service.limits;
    const list = payloadIn(args, maxDepth, 'the list of arguments');
    if (!Array.isArray(list)) throw new Error('the arguments are no list');
    if (!this.#settings.accepts(list, call.method))
      throw new Error('the method does not accept the arguments');
    return list;
  }

  async #settled(call: HeldCall, outcome: IOutcome | Failure): Promise<void> {
    if ('kind' in outcome && outcome.kind === 'cancelled' && call.end === 'drained') this.cut++;
    if ('kind' in outcome) this.reportMistake(this.#nameOf(call), outcome);
    await this.#reply(call, this.#replyTo(call, outcome));
    if (this.#held.get(call.id) === call) this.#held.delete(call.id);
  }

  #replyTo(call: HeldCall, outcome: IOutcome | Failure): string {
    if (!('kind' in outcome)) return failed([outcome]);
    if (outcome.kind === 'error') return failed(failuresOf(outcome.error, outcome.code));
    if (outcome.kind === 'cancelled')
      return failed([makeFailure(errors.CallLost, 'the server has ended')]);
    const [value] = outcome.values;
    try {
      return value === undefined ? '+' : `+${jsonOf('the reply', value, this.#service.limits)}`;
    } catch (error) {
      this.report(withPath(error, this.#nameOf(call)));
      return failed(failuresOf(error, errors.InternalError));
    }
  }

  /** It's tried as long as the call is this server's. */
  async #reply(call: HeldCall, reply: string): Promise<void> {
    for (let tries = 0; call.end === undefined || call.end === 'drained'; tries++) {
      try {
        return await Promise.race([call.session.script('reply', call.id, reply), call.over]);
      } catch (error) {
        if (this.isClosed) return;
        this.report(error);
        const ms = Math.min(longestPause, 50 * 2 ** Math.min(tries, 10));
        await new Promise<void>((resolve) => this.#settings.tool.deferred(ms, resolve));
      }
    }
  }

  // ---- of its session

  get settled(): number {
    return this.#leftEarly === undefined ? this.#takes : this.#takes - 1;
  }

  get isIdle(): boolean {
    return this.#hasEnded;
  }

  named(): string[] {
    return [...this.#held.keys()];
  }

  /** What comes may not have been told. */
  renews(): void {
    if (this.room > 0) this.look();
  }

  said(id: string): void {
    this.#held.get(id)?.stop('left');
  }

  heard(text: string): void {
    if (text === '') return this.look();
    this.#held.get(text)?.stop('left');
    this.#leftEarly?.add(text);
  }

  over(): void {
    this.#session = undefined;
    this.#lose();
    this.look();
  }

  #lose(): void {
    for (const call of [...this.#held.values()]) call.stop('lost');
    this.#held.clear();
  }

  override report(error: unknown): void {
    super.report(error);
  }
}

function failed(failures: readonly Failure[]): string {
  return `-${JSON.stringify(failures)}`;
}
