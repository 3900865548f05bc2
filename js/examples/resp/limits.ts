/** The default of each limit and what it limits, in the order in which `--help` lists them. */
const table = {
  connections: [1000, 'clients served at the same time; one more is told so and closed'],
  burst: [100, "steps that a client's flow runs in a row before it is the others' turn"],
  bulk: [8 * 1024 * 1024, 'one argument of a command'],
  args: [65_536, 'arguments of one command, its name included'],
  request: [16 * 1024 * 1024, 'all arguments of one command together'],
  line: [64 * 1024, 'one line: an inline command or a length'],
  input: [1024 * 1024, "received and not yet looked at; beyond it the socket isn't read"],
  output: [1024 * 1024, 'replies not taken; beyond it no further command of the client is run'],
  commandMs: [5000, 'one command, from its start to its reply, the wait for its turn included'],
  requestMs: [10_000, 'from the first byte of a command to its last'],
  idleMs: [0, 'between two commands'],
  connectionMs: [0, 'a connection, from its first moment to its last command'],
  outputMs: [10_000, 'until the client has taken the replies beyond --output'],
  lingerMs: [1000, 'until the client has closed too, once the server has closed its side'],
  drainMs: [1000, 'commands that run when the server is told to stop'],
  clientRate: [0, 'commands of one client that are let in within a period'],
  clientPeriodMs: [1000, 'that period'],
  clientQueue: [
    0,
    'commands of one client that wait for a later period: 0 or 1, it has one at a time',
  ],
  serverConcurrent: [0, 'commands of all clients that run at the same time'],
  serverRate: [0, 'commands of all clients that are let in within a period'],
  serverPeriodMs: [1000, 'that period'],
  serverQueue: [0, 'commands that wait until they may run'],
} satisfies Record<string, [number, string]>;

/**
 * What clients may ask of the server. Sizes are bytes, times (`…Ms`) are milliseconds. 0 as a time, a rate or `serverConcurrent` is
 * "no limit"; a period is at least 1.
 */
export type Limits = Record<keyof typeof table, number>;

export const limitNames = Object.keys(table) as (keyof Limits)[];

export function defaultLimits(): Limits {
  const entries = limitNames.map((name) => [name, table[name][0]]);
  return Object.fromEntries(entries) as Limits;
}

export function wordsOf(name: keyof Limits): string {
  return table[name][1];
}
