import type { IAsyncSteps } from '../../src/index.js';
import type { Client } from './client.js';
import { unknownSubcommand, wrongArity } from './errors.js';
import { del, expire, pexpire, pttl, ttl } from './keys.js';
import { within } from './limiters.js';
import { blpop, llen, lpush } from './lists.js';
import type { Command } from './parser.js';
import { plugin, pluginEntries, runPlugin } from './plugincommand.js';
import { array, bulk, integer } from './reply.js';
import { clientCommand, config, echo, flows, hello, ping, quit, sleep, stats } from './session.js';
import { get, incr, set } from './strings.js';

/** The body of a step whose result is the reply; its error codes are the first words of error replies. */
type Body = (asi: IAsyncSteps, client: Client, args: Command) => void;

interface Entry {
  body: Body;
  /** Arguments with the name; negative: at least so many. */
  arity: number;
  /** The wait is the client's own wish: its limit is not the server's. */
  patient?: true;
  /** Never refused: who asks how the server is doing, and who leaves. */
  free?: true;
}

const table = new Map<string, Entry>([
  ['blpop', { body: blpop, arity: -3, patient: true }],
  ['client', { body: clientCommand, arity: -2 }],
  ['command', { body: command, arity: -1 }],
  ['config', { body: config, arity: -2 }],
  ['del', { body: del, arity: -2 }],
  ['echo', { body: echo, arity: 2 }],
  ['expire', { body: expire, arity: -3 }],
  ['get', { body: get, arity: 2 }],
  ['hello', { body: hello, arity: -1 }],
  ['incr', { body: incr, arity: 2 }],
  ['llen', { body: llen, arity: 2 }],
  ['lpush', { body: lpush, arity: -3 }],
  ['pexpire', { body: pexpire, arity: -3 }],
  ['ping', { body: ping, arity: -1 }],
  ['plugin', { body: plugin, arity: -2 }],
  ['pttl', { body: pttl, arity: 2 }],
  ['quit', { body: quit, arity: -1, free: true }],
  ['set', { body: set, arity: -3 }],
  ['steptree.flows', { body: flows, arity: 1, free: true }],
  ['steptree.sleep', { body: sleep, arity: 2 }],
  ['steptree.stats', { body: stats, arity: 1, free: true }],
  ['ttl', { body: ttl, arity: 2 }],
]);

/** Runs one command as the step of `asi`, once it is let in, within the time that a command may take. */
export function runCommand(asi: IAsyncSteps, client: Client, args: Command): void {
  const entry = table.get(args[0]!.toLowerCase());
  const run = (step: IAsyncSteps) => runEntry(step, client, entry, args);
  if (entry?.free) {
    run(asi);
  } else if (entry?.patient) {
    // Who waits as he wishes takes no place from those who run.
    asi.add((step) => limited(step, client, (inner) => inner.success()));
    asi.add(run);
  } else {
    limited(asi, client, run);
  }
}

// The client's own limiter is the outer one: what it refuses costs the others nothing.
function limited(asi: IAsyncSteps, client: Client, body: (asi: IAsyncSteps) => void): void {
  const { commandMs } = client.shared.limits;
  if (commandMs > 0) asi.setTimeout(commandMs);
  within(asi, client.limiter, (step) => within(step, client.shared.limiter, body));
}

function runEntry(asi: IAsyncSteps, client: Client, entry: Entry | undefined, args: Command): void {
  if (!entry) {
    if (runPlugin(asi, client, args)) return;
    asi.error('ERR', unknownCommand(args));
  }
  const { body, arity } = entry;
  if (arity < 0 ? args.length < -arity : args.length !== arity) {
    wrongArity(asi, args[0]!.toLowerCase());
  }
  body(asi, client, args);
}

const shownBytes = 128;

function unknownCommand(args: Command): string {
  let shown = '';
  for (let i = 1; i < args.length && shown.length < shownBytes; i += 1) {
    shown += `'${args[i]!.slice(0, shownBytes - shown.length)}' `;
  }
  return `unknown command '${args[0]!.slice(0, shownBytes)}', with args beginning with: ${shown}`;
}

/** COMMAND [COUNT | DOCS]: clients ask at their start what there is */
function command(asi: IAsyncSteps, client: Client, args: Command): void {
  const { plugins } = client.shared;
  const subcommand = args[1]?.toLowerCase();
  if (subcommand === 'count') asi.success(integer(table.size + plugins.commands.size));
  else if (subcommand === 'docs') asi.success(array([]));
  else if (subcommand !== undefined) unknownSubcommand(asi, 'command', args[1]!);
  else {
    const entries = [...table].map(([name, { arity }]) => array([bulk(name), integer(arity)]));
    asi.success(array([...pluginEntries(plugins), ...entries]));
  }
}
