import { setTimeout as delay } from 'node:timers/promises';
import { beginSomething, half as sendHalf } from '../unfinished.js';
import { encode, WireClient } from '../wireclient.js';
import { killProcess } from './processes.js';
import { talk } from './talk.js';
import type { World } from './world.js';

/** What a client does from its connection to its end; `slot` says which of its kind it is. */
export type Kind = (world: World, slot: number) => Promise<void>;

/** The kinds of clients, and how many of each there are at any time. */
export const kinds: [count: number, kind: Kind][] = [
  [10, talk],
  [12, flood],
  [3, slow],
  [3, stuck],
  [4, half],
  [4, garbage],
  [12, vanish],
  [2, killProcess],
  [5, idle],
  [5, old],
  [1, crowd],
];

/** Two seconds of more than the limiter lets in, with pauses for the others. */
async function flood(world: World): Promise<void> {
  await world.serve(async (client) => {
    for (let round = 0; round < 20; round += 1) {
      const texts = Array.from({ length: 32 }, () => String(world.chance(1e9)));
      client.send(texts.map((text) => encode(['ECHO', text])).join(''));
      await delay(100);
      for (const text of texts) world.check(await client.takeReply(), bulk(text));
    }
  });
  await delay(2000);
}

const long = 'x'.repeat(64_000);
const echo = encode(['ECHO', long]);

/** Takes its replies late: it gets them all. */
async function slow(world: World): Promise<void> {
  await world.serve(async (client) => {
    client.stopReading();
    client.send(echo.repeat(64));
    await delay(300);
    client.resumeReading();
    for (let i = 0; i < 64; i += 1) world.check(await client.takeReply(), bulk(long));
  });
  await delay(world.chance(2000));
}

/** Never takes its replies: the server leaves it. */
async function stuck(world: World): Promise<void> {
  await world.serve(async (client) => {
    client.stopReading();
    client.send(echo.repeat(128));
    await delay(world.limits.outputMs + world.limits.lingerMs);
    client.resumeReading();
    await client.rest();
  });
}

/** Doesn't go on: the server leaves it when the time of a request is over. */
async function half(world: World): Promise<void> {
  await world.serve(async (client, start) => {
    sendHalf(client);
    world.expect((await client.rest()) === '', 'half a command was answered');
    world.expect(
      performance.now() - start >= world.limits.requestMs - 1,
      'half a command: left early',
    );
  });
}

/** Bytes by chance, some of which look like the protocol: all answers are whole. */
async function garbage(world: World): Promise<void> {
  await world.serve(async (client) => {
    const pieces = [
      '*',
      '$',
      '\r\n',
      '*2\r\n',
      '$3\r\n',
      '*-1\r\n',
      '$-1\r\n',
      '"',
      "'",
      '*99999\r\n',
    ];
    for (let i = world.chance(200); i >= 0; i -= 1) {
      const piece = pieces[world.chance(2 * pieces.length)];
      client.send(piece ?? String.fromCharCode(world.chance(256)).repeat(1 + world.chance(9)));
    }
    client.finish();
    const said = await client.rest();
    world.expect(
      /^(-(ERR|DEFENSEREJECTED) .*\r\n)*$/.test(said),
      `garbage was answered by ${said}`,
    );
  });
}

/** Is gone while it waits, while it sends, while it should read. */
async function vanish(world: World): Promise<void> {
  const client = await WireClient.connect(world.port);
  beginSomething(client, world.chance(4));
  await delay(world.chance(300));
  client.kill(world.chance(2) === 0);
  await delay(world.chance(2000));
}

/** Says nothing: the server leaves it. */
async function idle(world: World): Promise<void> {
  await world.serve(async (client, start) => {
    await client.rest();
    world.expect(
      performance.now() - start >= world.limits.idleMs - 1,
      'an idle client: left early',
    );
  });
}

/** Talks until its connection is too old. */
async function old(world: World): Promise<void> {
  await world.serve(async (client, start) => {
    for (let open = true; open;) {
      client.command('PING');
      const reply = await client.takeReply().catch(() => '');
      open = reply !== '';
      if (open) world.check(reply, '+PONG\r\n');
      await delay(100);
    }
    const age = performance.now() - start;
    world.expect(age >= world.limits.connectionMs - 1, `an old client: left after ${age} ms`);
  });
}

/** More than there may be come at once, and command more than may run and wait at a time: however slow the machine is, some are refused. */
async function crowd(world: World): Promise<void> {
  const all = Array.from({ length: world.limits.connections + 10 }, () => world.tryJoin());
  const served = (await Promise.all(all)).filter((client) => client !== undefined);
  for (const client of served) client.command('STEPTREE.SLEEP', '0.5');
  try {
    for (const client of served) world.check(await client.takeReply(), '+OK\r\n');
  } finally {
    for (const client of served) client.kill();
  }
  await delay(3000);
}

function bulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`;
}
