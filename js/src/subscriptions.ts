// What a process hears of Redis: one connection for all channels, made when the first is listened to.
//
// What is said while nobody is connected is lost. So after each loss of the connection all listeners are told to look for themselves.

import type { Connecting, Subscriber, Wire } from './redisclient.js';

/** Of one channel. */
export interface Listener {
  heard(text: string): void;
  /** Something may have been missed. */
  again(): void;
}

export class Subscriptions {
  readonly #wire: Wire;
  readonly #channels = new Map<string, Set<Listener>>();
  #subscriber: Connecting<Subscriber> | undefined;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Settles once it hears: what is said after that isn't missed. The function that it gives ends it. */
  async listen(channel: string, listener: Listener): Promise<() => void> {
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners.add(listener));
    const leave = () => this.#leave(channel, listener);
    try {
      await (await this.#connected()).subscribe(channel);
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  close(): void {
    const subscriber = this.#subscriber;
    this.#subscriber = undefined;
    this.#channels.clear();
    subscriber?.close();
  }

  #connected(): Promise<Subscriber> {
    if (this.#subscriber !== undefined) return this.#subscriber.made;
    const subscriber = this.#wire.subscriber({
      message: (channel, text) => {
        for (const listener of [...(this.#channels.get(channel) ?? [])]) listener.heard(text);
      },
      again: () => {
        for (const listener of [...this.#channels.values()].flatMap((all) => [...all]))
          listener.again();
      },
    });
    this.#subscriber = subscriber;
    subscriber.made.catch(() => {
      if (this.#subscriber === subscriber) this.#subscriber = undefined;
    });
    return subscriber.made;
  }

  #leave(channel: string, listener: Listener): void {
    const listeners = this.#channels.get(channel);
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    this.#channels.delete(channel);
    this.#subscriber?.made
      .then(async (own) => {
        // Who came meanwhile has subscribed before.
        if (!this.#channels.has(channel)) await own.unsubscribe(channel);
      })
      .catch(() => {});
  }
}
