/** A client whose answers get lost, whose commands come late, and whose messages are late, as tests want. */
import { clients } from './clients.js';
import type { NodeRedisClient } from '../src/redis.js';

export interface FaultyClient extends NodeRedisClient {
  /** pass: as it is. lose: the command is done, and nobody hears of it. late: that's heard with `pass()`. drop: it isn't done. hold: it's done with `pass()`. */
  answers: 'pass' | 'lose' | 'late' | 'drop' | 'hold';
  /** Of commands of which this is true. */
  only: (args: readonly string[]) => boolean;
  /** Of the commands that were sent. */
  sent: (args: readonly string[]) => void;
  /** What is heard from now on waits for `hear()`. */
  deafen(): void;
  hear(): void;
  /** What was held is sent. */
  pass(): void;
  close(): void;
}

export async function faultyClient(url: string): Promise<FaultyClient> {
  const { client, close } = await clients.redis(url);
  const real = client as NodeRedisClient;
  let late: (() => void)[] | undefined;
  const held: (() => void)[] = [];
  const closed = () => Promise.reject(new Error('Socket closed unexpectedly'));
  const faulty: FaultyClient = {
    answers: 'pass',
    only: () => true,
    sent() {},
    isOpen: true,
    sendCommand(args: string[]) {
      faulty.sent(args);
      const { answers } = faulty;
      const send = () => real.sendCommand(args);
      if (answers === 'pass' || !faulty.only(args)) return send();
      if (answers === 'drop') return closed();
      if (answers === 'lose') return send().then(closed, closed);
      const passed = new Promise<void>((resolve) => held.push(resolve));
      if (answers === 'hold') return passed.then(send);
      const answer = send();
      return passed.then(() => answer);
    },
    duplicate(...overrides) {
      const own = real.duplicate(...overrides);
      const subscribe = own.subscribe.bind(own);
      own.subscribe = (channel: string, hear: (text: string, channel: string) => void) =>
        subscribe(channel, (text: string, from: string) => {
          if (late) late.push(() => hear(text, from));
          else hear(text, from);
        });
      return own;
    },
    deafen: () => void (late ??= []),
    hear() {
      const all = late ?? [];
      late = undefined;
      for (const each of all) each();
    },
    pass() {
      faulty.answers = 'pass';
      for (const each of held.splice(0)) each();
    },
    close,
  };
  return faulty;
}
