// A call that this process has taken, under the lease of its session, and what its handler sees of it.

import type { CallSession } from './callsession.js';
import { errors, StepError } from './index.js';
import type { RedisService } from './redisservice.js';

/** What the handler gets as its second value. Guide: docs/calls.md#a-server */
export interface ServedCall {
  /** Of this call, and no other one. */
  readonly id: string;
  /** The name of the service. */
  readonly service: string;
  /** That was called. */
  readonly method: string;
  /** The trace that it's a part of, as W3C Trace Context writes it; `''`: none. */
  readonly traceparent: string;
}

/** As `take` gives it. */
export type TakenCall = readonly [
  id: string,
  method: string,
  args: string,
  left: number,
  traceparent: string,
];

/** Why a handler is ended from outside: nobody waits any more, its lease is over, its server ends. */
export type CallEnd = 'left' | 'lost' | 'drained';

interface Controller {
  readonly signal: any;
  abort(reason: unknown): void;
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without a platform's
declare const globalThis: { readonly AbortController: new () => Controller };

const reasons: Readonly<Record<CallEnd, string>> = {
  left: 'nobody waits for the call',
  lost: 'the lease of the server is over',
  drained: 'the server ends',
};

export class HeldCall {
  readonly id: string;
  /** A list, as JSON. */
  readonly args: string;
  /** Milliseconds till its deadline, when it was taken; below 0: there is none. */
  readonly left: number;
  readonly call: ServedCall;
  /** By which it was taken. */
  readonly session: CallSession;
  end: CallEnd | undefined;
  /** Settles when nothing can be said of it any more. */
  readonly over: Promise<void>;
  #tellOver!: () => void;
  readonly #controller = new globalThis.AbortController();

  constructor(service: RedisService<any>, session: CallSession, taken: TakenCall) {
    const [id, method, args, left, traceparent] = taken;
    this.id = id;
    this.args = args;
    this.left = left;
    this.session = session;
    this.call = { id, service: service.name, method, traceparent };
    this.over = new Promise((resolve) => (this.#tellOver = resolve));
  }

  get signal(): any {
    return this.#controller.signal;
  }

  /** The first reason counts, but that nothing can be said. */
  stop(end: CallEnd): void {
    if (this.end !== undefined && (this.end !== 'drained' || end === 'drained')) return;
    this.end = end;
    if (end !== 'drained') this.#tellOver();
    this.#controller.abort(new StepError(errors.Canceled, reasons[end]));
  }
}
