import { errors, type IAsyncSteps, snapshot, snapshotText } from '../../src/index.js';
import type { Client } from './client.js';
import { unknownSubcommand, wrongArity } from './errors.js';
import { parseDecimal, parseInteger } from './numbers.js';
import type { Command } from './parser.js';
import { array, bulk, integer, nullBulk, ok, pong } from './reply.js';

/** PING [message] */
export function ping(asi: IAsyncSteps, _client: Client, args: Command): void {
  if (args.length > 2) wrongArity(asi, 'ping');
  asi.success(args.length === 2 ? bulk(args[1]!) : pong);
}

/** ECHO message */
export function echo(asi: IAsyncSteps, _client: Client, args: Command): void {
  asi.success(bulk(args[1]!));
}

/** QUIT */
export function quit(asi: IAsyncSteps, client: Client): void {
  client.leaving = true;
  asi.success(ok);
}

/** HELLO [2 [SETNAME name]] */
export function hello(asi: IAsyncSteps, client: Client, args: Command): void {
  let name = client.name;
  if (args.length > 1) {
    const version = parseInteger(args[1]!);
    if (version === undefined) {
      asi.error('ERR', 'Protocol version is not an integer or out of range');
    }
    if (version !== 2n) asi.error('NOPROTO', 'unsupported protocol version');
  }
  for (let i = 2; i < args.length; i += 2) {
    if (args[i]!.toUpperCase() !== 'SETNAME' || i + 1 >= args.length) {
      asi.error('ERR', `Syntax error in HELLO option '${args[i]!}'`);
    }
    name = checkName(asi, args[i + 1]!);
  }
  client.name = name;
  const fields: [string, string][] = [
    ['server', bulk('steptree')],
    ['version', bulk('0.1.0')],
    ['proto', integer(2)],
    ['id', integer(client.id)],
    ['mode', bulk('standalone')],
    ['role', bulk('master')],
    ['modules', array([])],
  ];
  asi.success(array(fields.flatMap(([field, value]) => [bulk(field), value])));
}

/** CLIENT ID | GETNAME | SETNAME name | SETINFO attribute value */
export function clientCommand(asi: IAsyncSteps, client: Client, args: Command): void {
  const subcommand = args[1]!.toLowerCase();
  const expected = { id: 2, getname: 2, setname: 3, setinfo: 4 }[subcommand];
  if (expected === undefined) unknownSubcommand(asi, 'client', args[1]!);
  if (args.length !== expected) wrongArity(asi, `client|${subcommand}`);
  if (subcommand === 'id') asi.success(integer(client.id));
  else if (subcommand === 'getname') asi.success(client.name ? bulk(client.name) : nullBulk);
  else {
    if (subcommand === 'setname') client.name = checkName(asi, args[2]!);
    asi.success(ok);
  }
}

function checkName(asi: IAsyncSteps, name: string): string {
  if (/[^!-~]/.test(name)) {
    asi.error('ERR', 'Client names cannot contain spaces, newlines or special characters.');
  }
  return name;
}

/** CONFIG GET parameter [parameter ...] */
export function config(asi: IAsyncSteps, client: Client, args: Command): void {
  const { limits } = client.shared;
  if (args[1]!.toLowerCase() !== 'get') unknownSubcommand(asi, 'config', args[1]!);
  if (args.length < 3) wrongArity(asi, 'config|get');
  const parameters: [string, string][] = [
    ['save', ''],
    ['appendonly', 'no'],
    ['maxclients', String(limits.connections)],
    ['proto-max-bulk-len', String(limits.bulk)],
  ];
  const asked = args.slice(2).map((name) => name.toLowerCase());
  const found = parameters.filter(([name]) => asked.includes(name) || asked.includes('*'));
  asi.success(array(found.flatMap(([name, value]) => [bulk(name), bulk(value)])));
}

/** STEPTREE.STATS: the server's counters as JSON */
export function stats(asi: IAsyncSteps, client: Client): void {
  asi.success(bulk(client.shared.statistics()));
}

/** STEPTREE.FLOWS: what the flow of each client is doing, as a tree */
export function flows(asi: IAsyncSteps, client: Client): void {
  const text = snapshotText(snapshot(client.shared.tool));
  asi.success(bulk(Buffer.from(text).toString('latin1'))); // a character of a reply is a byte
}

/** STEPTREE.SLEEP seconds: a command that takes its time */
export function sleep(asi: IAsyncSteps, client: Client, args: Command): void {
  const seconds = parseDecimal(args[1]!);
  if (seconds === undefined || seconds < 0) asi.error('ERR', 'value is not a valid float');
  asi.add(
    (step) => {
      step.setTimeout(seconds * 1000);
      client.waits();
    },
    (step, code) => {
      if (code === errors.Timeout) step.success(ok);
    },
    'sleep',
  );
}
