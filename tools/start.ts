/**
 * `npm start`: one RESP server, written step by step in JavaScript and in C++, and the real Redis clients talking to both. Ends
 * by itself; exit code 0 says that both have answered alike, without an error, and that nothing is left of any client.
 *
 *     npm start -- --inspect    both servers have their inspector, whose pages stay up at the end, until Ctrl-C
 *     npm start -- all          three servers, one of them in Python, with the same plug-ins in C, C++ and Rust
 *     npm start -- redis        four workers, in JavaScript and C++, share a queue and a limiter in Redis, and two are killed
 */
import { buildCppServer } from './resp/build.js';
import { type BenchmarkResult, runBenchmark } from './resp/redisbenchmark.js';
import type { ServerProcess } from './resp/serverprocess.js';
import { cppServer, jsServer } from './resp/servers.js';
import { startAll } from './start/all.js';
import { startRedisShow } from './start/redis.js';
import { showCancellation } from './start/cancellation.js';
import { compareWire } from './start/malformed.js';
import { showPages } from './start/pages.js';
import { announce, flash, say, seconds } from './start/progress.js';
import { showTotals, startServers } from './start/servers.js';
import { compareTranscripts } from './start/sidebyside.js';
import { showStuck } from './start/stuck.js';
import { table } from './start/table.js';

const parts = 7;
const load = { requests: 10_000, clients: 50 };
const pipelined = { requests: 50_000, clients: 50, pipeline: 16, tests: ['set', 'get', 'incr'] };
/** How long it may take to end what was interrupted, in milliseconds. */
const mostEnding = 30_000;
const servers: ServerProcess[] = [];
/** What Ctrl-C and SIGTERM do. */
let interrupt = giveUp;

async function main(isInspected: boolean): Promise<boolean> {
  announce(parts, 'building the C++ server');
  await buildCppServer(flash);

  announce(parts, 'starting both servers');
  await startServers(servers, [jsServer, cppServer], isInspected ? ['--inspect'] : []);

  announce(parts, 'the same conversation with both, through redis-cli');
  const typed = await compareTranscripts(servers);
  say(`\n    ${typed.asked} answers, ${verdict(typed.different)}`);

  announce(parts, 'what no client should send, through bare sockets');
  const sent = await compareWire(servers);
  say(`\n    ${sent.asked} connections, ${verdict(sent.different)}`);

  announce(parts, 'cancellation: a client is killed while it waits');
  for (const server of servers) await showCancellation(server);

  announce(
    parts,
    `redis-benchmark, 50 connections${isInspected ? ', while all is inspected' : ''}`,
  );
  await showBenchmark();

  announce(parts, 'what does a client wait for that is stuck? redis-cli STEPTREE.FLOWS');
  const found = await showStuck(servers, isInspected ? stay : async () => {});

  const clean = await showTotals(servers, typed.errors + sent.errors, 'waiters');
  return clean && found && typed.different === 0 && sent.different === 0;
}

/** Both pages stay up. Whoever interrupts ends them; what came of all is said then, as always. */
async function stay(): Promise<void> {
  const interrupted = new Promise<undefined>((resolve) => {
    interrupt = () => resolve(undefined);
  });
  await showPages(servers, interrupted);
  setTimeout(giveUp, mostEnding).unref();
}

function verdict(different: number): string {
  return different === 0
    ? 'all equal, and equal to those of Redis itself'
    : `${different} of them DIFFERENT`;
}

async function showBenchmark(): Promise<void> {
  const results: BenchmarkResult[][] = [];
  for (const { name, port } of servers) {
    say(`    ${name}: ${load.requests} requests of each kind, then pipelines of 16`);
    const single = await runBenchmark(port, load);
    const many = await runBenchmark(port, pipelined);
    results.push([
      ...single,
      ...many.map((result) => ({ ...result, test: `${result.test}, pipelined` })),
    ]);
  }
  const [js, cpp] = results as [BenchmarkResult[], BenchmarkResult[]];
  const rows = js.map(({ test, perSecond, p99 }, i) => [
    ...[test, Math.round(perSecond), `${p99} ms`],
    ...[Math.round(cpp[i]!.perSecond), `${cpp[i]!.p99} ms`],
  ]);
  say('');
  table([['requests a second', 'JavaScript', 'p99', 'C++', 'p99'], ...rows]);
}

function killAll(): void {
  for (const server of servers) server.kill();
}

function giveUp(): void {
  killAll();
  process.exit(1);
}

interface Show {
  readonly begin: () => Promise<boolean>;
  /** What is true if it has gone well. */
  readonly well: string;
}

const same = 'equal and clean';
const shows: Readonly<Record<string, Show>> = {
  '': { begin: () => main(false), well: same },
  '--inspect': { begin: () => main(true), well: same },
  all: { begin: () => startAll(servers), well: same },
  redis: { begin: startRedisShow, well: 'nothing lost, never too many' },
};

/** Undefined: there is an option that isn't known. */
function readArguments(args: readonly string[]): Show | undefined {
  const [first = ''] = args;
  const isKnown = Object.hasOwn(shows, first);
  if (isKnown && args.length < 2) return shows[first];
  const unknown = isKnown ? args[1] : first;
  process.stderr.write(
    `npm start: unknown option ${unknown}; there are --inspect, all and redis\n`,
  );
  return undefined;
}

const show = readArguments(process.argv.slice(2));
if (show === undefined) process.exit(2);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupt());
process.stdout.once('error', giveUp);
try {
  const well = await show.begin();
  say(`\n${well ? show.well : `NOT TRUE: ${show.well}`}, ${seconds()} s`);
  process.exitCode = well ? 0 : 1;
} catch (error) {
  say(`\nfailed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  killAll();
}
