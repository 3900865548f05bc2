import { encode, type WireClient } from '../wireclient.js';
import type { World } from './world.js';

interface Command {
  args: string[];
  /** What the server has to say, if it runs the command: then this runs too. */
  run: () => string;
}

/** What keys of one client's own hold, as far as his commands were served. */
class Keys {
  private readonly key: string;
  private text = '';
  private count = 0;
  private list: string[] = [];

  constructor(key: string) {
    this.key = key;
  }

  /** For whoever has used the keys before. */
  clear(): Command {
    const { key } = this;
    return { args: ['DEL', `${key}-text`, `${key}-count`, `${key}-list`], run: () => ':' };
  }

  any(chance: (n: number) => number): Command {
    const { key } = this;
    const value = String(chance(1e6)).repeat(1 + chance(20));
    const commands: (() => Command)[] = [
      () => ({ args: ['SET', `${key}-text`, value], run: () => this.set(value) }),
      () => ({ args: ['SET', `${key}-brief`, value, 'PX', '50'], run: () => '+OK\r\n' }),
      () => ({ args: ['GET', `${key}-text`], run: () => bulk(this.text) }),
      () => ({ args: ['INCR', `${key}-count`], run: () => `:${(this.count += 1)}\r\n` }),
      () => ({ args: ['LPUSH', `${key}-list`, value], run: () => `:${this.list.push(value)}\r\n` }),
      () => ({ args: ['LLEN', `${key}-list`], run: () => `:${this.list.length}\r\n` }),
      () => ({ args: ['BLPOP', `${key}-list`, '0.01'], run: () => this.pop() }),
      () => ({
        args: ['NONSENSE'],
        run: () => "-ERR unknown command 'NONSENSE', with args beginning with: \r\n",
      }),
    ];
    return commands[chance(commands.length)]!();
  }

  private set(value: string): string {
    this.text = value;
    return '+OK\r\n';
  }

  private pop(): string {
    const value = this.list.pop();
    return value === undefined ? '*-1\r\n' : encode([`${this.key}-list`, value]);
  }
}

function bulk(text: string): string {
  return text === '' ? '$-1\r\n' : `$${text.length}\r\n${text}\r\n`;
}

/** Pipelines of all kinds of commands, every reply checked. The keys are `slot`'s. */
export function talk(world: World, slot: number): Promise<void> {
  return world.serve(async (client) => {
    const keys = new Keys(`soak-${slot}`);
    await begin(client, keys);
    for (let round = 0; round < 10; round += 1) {
      const commands = Array.from({ length: 1 + world.chance(20) }, () => keys.any(world.chance));
      client.send(commands.map(({ args }) => encode(args)).join(''));
      for (const { run } of commands) await answer(world, client, run);
    }
    client.command('QUIT');
    world.check(await client.takeReply(), '+OK\r\n');
    world.expect((await client.rest()) === '', 'something was said after QUIT');
  });
}

async function begin(client: WireClient, keys: Keys): Promise<void> {
  let reply: string;
  do {
    client.send(encode(keys.clear().args));
    reply = await client.takeReply();
  } while (!reply.startsWith(':'));
}

async function answer(world: World, client: WireClient, run: () => string): Promise<void> {
  const reply = await client.takeReply();
  // What was rejected has changed nothing.
  if (!world.rejects(reply)) world.check(reply, run());
}
