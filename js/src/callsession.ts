// A caller or a server as Redis knows it: what it's told, and its lease.
//
// - We count the lease from when it was asked for, so it's over here before it is there. Then the session is used no more: what it waits for
//   and what it has is lost, and Redis finds that out by itself.
// - A reply stays in Redis until it's acknowledged, by what is said next anyway. So what nobody heard is made good by the next renewal.
// - With nothing to renew there are no timers.

import type { PlatformTimer } from './clock.js';
import { lifeOf } from './leaselife.js';
import type { RedisService } from './redisservice.js';

/** Who has the session. */
export interface Member {
  /** Of which calls a renewal has to say something. */
  named(): readonly string[];
  /** Of a server: of which takes the answers are known, up to that number; what it has by these is named. `''`: it's none. */
  readonly settled: number | '';
  /** There is nothing to renew. */
  readonly isIdle: boolean;
  /** A renewal begins. */
  renews(): void;
  /** Of a call that was named: its reply; `''`: nothing is known of it any more. */
  said(id: string, reply: string): void;
  heard(text: string): void;
  /** The lease is over. */
  over(): void;
  report(error: unknown): void;
}

/** So many are named, acknowledged, or cancelled, by one script. */
export const atOnce = 500;

// biome-ignore lint/suspicious/noShadowRestrictedNames: as everywhere, without the types of Node
declare const globalThis: { readonly crypto: { randomUUID(): string } };

export class CallSession {
  readonly id = globalThis.crypto.randomUUID();
  /** It hears all that is said from now on. */
  hears = false;
  isOver = false;
  readonly #service: RedisService;
  readonly #member: Member;
  #acknowledged: string[] = [];
  #listening: Promise<() => void> | undefined;
  #isRenewing = false;
  #again = false;
  #renewal: PlatformTimer | undefined;
  #expiry: PlatformTimer | undefined;
  /** By our clock. */
  #ends = Infinity;

  constructor(service: RedisService<any>, member: Member) {
    this.#service = service;
    this.#member = member;
  }

  /** Settles once it hears. */
  async listen(): Promise<void> {
    const { base, connection } = this.#service;
    this.#listening ??= connection.listen(`${base}:to:${this.id}`, {
      heard: (text) => {
        this.check();
        if (!this.isOver) this.#member.heard(text);
      },
      again: () => void this.renew(),
    });
    try {
      await this.#listening;
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
    if (this.hears || this.isOver) return;
    this.hears = true;
    void this.renew(); // what was said before
  }

  /** There is something to renew. Its lease counts from now on, also if Redis never answers. */
  begin(): void {
    if (this.#ends === Infinity) this.#extend(this.#timers.clock());
  }

  script(name: string, ...args: (string | number)[]): Promise<any> {
    const { base, connection, limits } = this.#service;
    const asked = connection.script(`calls/${name}`, base, [this.id, limits.lease, ...args]);
    connection.untold.add(asked, limits.patience);
    return asked;
  }

  /** One after which it lives on. Whether it does here is known when this settles. */
  async live(name: string, ...args: (string | number)[]): Promise<any> {
    const asked = this.#timers.clock();
    const answer = await this.script(name, ...args);
    this.#extend(asked);
    return answer;
  }

  /** The reply needn't be kept any more. */
  acknowledge(id: string): void {
    this.#acknowledged.push(id);
  }

  /** Says by the way which replies needn't be kept. */
  async acknowledging<T>(ask: (ids: readonly string[]) => Promise<T>): Promise<T> {
    const ids = this.#acknowledged.splice(0, atOnce);
    try {
      return await ask(ids);
    } catch (error) {
      this.#acknowledged.push(...ids);
      throw error;
    }
  }

  /** Now; one at a time. */
  async renew(): Promise<void> {
    this.#stop(this.#renewal);
    this.#renewal = undefined;
    if (this.isOver) return;
    if (this.#member.isIdle) return this.rest();
    this.#again = this.#isRenewing;
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    const { lease } = this.#service.limits;
    let next = lease / 3;
    try {
      this.#member.renews();
      const ends = await this.#renewAll();
      if (ends >= 0) next = Math.min(next, ends + 1);
    } catch (error) {
      next = lease / 10;
      this.#member.report(error);
    }
    this.#isRenewing = false;
    if (this.isOver || this.#member.isIdle) return;
    if (this.#again) void this.renew();
    else this.#schedule(next);
  }

  /** Nothing is waited for. */
  rest(): void {
    this.#stop(this.#renewal);
    this.#stop(this.#expiry);
    this.#renewal = undefined;
    this.#ends = Infinity;
  }

  /** It's used no more. */
  end(): void {
    this.isOver = true;
    this.rest();
    this.#listening?.then((leave) => leave()).catch(() => {});
  }

  /** Gives when the next other session may end. */
  async #renewAll(): Promise<number> {
    if (!this.hears) this.listen().catch((error) => this.#member.report(error));
    const ids = this.#member.named();
    const { settled } = this.#member;
    const most = settled === '' ? atOnce : Infinity; // a server names all at once
    let next = -1;
    for (let at = 0; at === 0 || at < ids.length; at += most) {
      const some = ids.slice(at, at + most);
      const [more, ends, said] = await this.acknowledging((replied) =>
        this.live('renew', settled, replied.length, ...replied, ...some),
      );
      if (this.isOver) break;
      for (let i = 0; i < said.length; i += 2) this.#member.said(said[i], said[i + 1]);
      if (more === 1) this.#again = true;
      next = ends;
    }
    return next;
  }

  #extend(asked: number): void {
    if (this.isOver || this.#member.isIdle) return;
    const { lease } = this.#service.limits;
    const ends = asked + lifeOf(lease);
    if (this.#ends !== Infinity && ends < this.#ends) return;
    this.#ends = ends;
    this.#stop(this.#expiry);
    const wait = ends - this.#timers.clock() + 1; // timers may be early
    this.#expiry = this.#timers.start(() => this.check(), Math.max(0, wait));
    if (this.#renewal === undefined && !this.#isRenewing) this.#schedule(lease / 3);
    this.check();
  }

  /** Also by who was paused, before the timers fire. */
  check(): void {
    if (this.isOver || this.#timers.clock() < this.#ends) return;
    this.end();
    this.#member.over();
  }

  #schedule(ms: number): void {
    this.#stop(this.#renewal);
    this.#renewal = this.#timers.start(() => void this.renew(), ms);
  }

  get #timers() {
    return this.#service.connection.timers;
  }

  #stop(timer: PlatformTimer | undefined): void {
    if (timer !== undefined) this.#timers.stop(timer);
  }
}
