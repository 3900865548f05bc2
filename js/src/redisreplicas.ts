// What counts only once so many replicas have it. It's asked for by a connection of its own, as one that waits for replicas does nothing else.
//
// - Redis knows by the connection what is waited for. So it has to be the same one all the time: after a loss of it nothing is confirmed.
// - Who asks while others wait shares the next wait, which covers all that was done before.

import type { Connecting, OwnConnection, Wire } from './redisclient.js';

/** How many, and how long they may take in ms. */
export interface ReplicasNeeded {
  readonly count: number;
  readonly patience: number;
}

interface Waits {
  now: Promise<unknown>;
  next: Promise<number> | undefined;
}

export class RedisReplicas {
  readonly #wire: Wire;
  #connecting: Connecting<OwnConnection> | undefined;
  /** How often it has connected. */
  #connected = 0;
  readonly #waits = new Map<string, Waits>();

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Runs what `send` does on the connection. `isDone`: whether there is something to confirm. Fails if that isn't. */
  async confirmed(
    send: (own: OwnConnection) => Promise<any>,
    isDone: (answer: any) => boolean,
    { count, patience }: ReplicasNeeded,
  ): Promise<any> {
    const own = await this.#own();
    const connected = this.#connected;
    const answer = await send(own);
    if (!isDone(answer)) return answer;
    const have = await this.#wait(own, count, patience);
    if (connected !== this.#connected) throw new Error('the connection was lost');
    if (have < count) throw new Error(`only ${have} of ${count} replicas have it`);
    return answer;
  }

  close(): void {
    this.#connecting?.close();
    this.#connecting = undefined;
  }

  #own(): Promise<OwnConnection> {
    if (this.#connecting !== undefined) return this.#connecting.made;
    const connecting = this.#wire.own(() => void this.#connected++);
    this.#connecting = connecting;
    connecting.made.catch(() => {
      if (this.#connecting === connecting) this.#connecting = undefined;
    });
    return connecting.made;
  }

  #wait(own: OwnConnection, count: number, patience: number): Promise<number> {
    const args = ['WAIT', `${count}`, `${Math.ceil(patience)}`];
    const key = args.join(' ');
    const waits = this.#waits.get(key) ?? { now: Promise.resolve(), next: undefined };
    this.#waits.set(key, waits);
    const begin = (): Promise<number> => {
      waits.next = undefined;
      const now = (own.send(args) as Promise<number>).catch(refused);
      waits.now = now.catch(() => {});
      return now;
    };
    return (waits.next ??= waits.now.then(begin));
  }
}

/** What was to be confirmed is done nevertheless, so it isn't Redis' own words that say why not. */
function refused(error: unknown): never {
  throw new Error(`the replicas weren't asked: ${String((error as Error)?.message ?? error)}`);
}
