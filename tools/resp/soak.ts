import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { buildCppServer } from './build.js';
import { cppServer, jsServerTellingHeap, type ServerCommand } from './servers.js';
import { type Look, soak } from './soak/run.js';

/**
 * Keeps the servers of both languages under mixed load, one after the other, and shows what becomes of them:
 *
 *   npm run soak -- --minutes 10 --lang cpp
 *
 * Clients talk in pipelines, send more than is allowed, read slowly or never, send garbage and halves, rest until they are left, and
 * are killed in the middle, whole processes of them. Exit code 0: every reply was right, memory doesn't grow over the last half,
 * and when the clients have gone no connection, flow, waiter or timer is left.
 */
const { values: args } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    lang: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
  },
});
const seconds = Number(args.minutes) * 60;
const seed = Number(args.seed);
const servers: Record<string, ServerCommand> = { js: jsServerTellingHeap, cpp: cppServer };
const chosen = args.lang === undefined ? Object.keys(servers) : [args.lang];
if (!(seconds > 0) || !Number.isInteger(seed) || chosen.some((name) => !servers[name])) {
  console.error('usage: npm run soak -- [--minutes 10] [--lang js|cpp] [--seed N]');
  process.exit(2);
}

/** Of memory over the last half, in MB. Node keeps pages that it has once used. */
const bounds = { js: { resident: 8, heap: 1 }, cpp: { resident: 1, heap: 0 } } as const;

function show(look: Look): void {
  const { requests, cancelled, connections, timers } = look.statistics;
  const counts = [requests, look.rejected, cancelled, connections, timers, look.wrong];
  const cells = [look.seconds.toFixed(0), ...counts, mb(look.residentMb), mb(look.heapMb)];
  console.log(cells.map((cell) => String(cell).padStart(11)).join(''));
}

function mb(value: number): string {
  return Number.isNaN(value) ? '-' : value.toFixed(1);
}

// Where the machine stands still for longer than the patience, clients are left that have done nothing wrong.
const patienceMs = 10_000;
const stalls = monitorEventLoopDelay();
stalls.enable();

if (chosen.includes('cpp')) await buildCppServer(() => {});
for (const name of chosen) {
  const server = servers[name]!;
  console.log(`${server.name}, seed ${seed}`);
  const heads = ['seconds', 'requests', 'rejected', 'cancelled', 'connections', 'timers', 'wrong'];
  console.log([...heads, 'resident MB', 'heap MB'].map((head) => head.padStart(11)).join(' '));
  const { wrong } = await soak(server, {
    seconds,
    seed,
    patienceMs,
    growth: bounds[name as 'js' | 'cpp'],
    looks: Math.max(10, Math.round(seconds / 10)),
    show,
  });
  console.log(wrong.length === 0 ? 'ok' : wrong.slice(0, 20).join('\n'));
  console.log(`the clients themselves stood still for ${(stalls.max / 1e9).toFixed(1)} s at most`);
  if (wrong.length > 0) process.exitCode = 1;
}
