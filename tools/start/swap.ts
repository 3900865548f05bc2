import { setTimeout as delay } from 'node:timers/promises';
import type { PluginFiles } from '../resp/plugins.js';
import { runBenchmark } from '../resp/redisbenchmark.js';
import type { ServerProcess, Statistics } from '../resp/serverprocess.js';
import { WireClient } from '../resp/wireclient.js';
import { say } from './progress.js';

const load = { requests: 20_000, clients: 50 };
const watchers = 8;
/** How much is asked before the plug-in is replaced, and after it at least. */
const enough = 200;

/** What clients have seen who look at each reply. */
interface Seen {
  old: number;
  next: number;
  wrong: string[];
}

/** Replaces a plug-in while redis-benchmark runs a command of it, and others look at each of their replies. */
export async function showSwap(server: ServerProcess, files: PluginFiles): Promise<boolean> {
  const tell = (what: string) => say(`    ${server.name.padEnd(12)}${what}`);
  const control = await WireClient.connect(server.port);
  const ask = async (...args: string[]) => {
    control.command(...args);
    return control.takeBulk();
  };
  await ask('PLUGIN', 'RELOAD', files.wait);
  const seen: Seen = { old: 0, next: 0, wrong: [] };
  let going = true;
  const watching = Array.from({ length: watchers }, () => watch(server.port, seen, () => going));
  const benchmark = runBenchmark(server.port, { ...load, command: ['WAIT.TICK', '1'] });
  let isOver = false;
  benchmark.finally(() => (isOver = true)).catch(() => {});
  const until = async (condition: () => Promise<boolean> | boolean) => {
    while (!isOver && seen.wrong.length === 0 && !(await condition())) await delay(5);
  };
  let inTime = false;
  try {
    await until(async () => {
      const { connections } = JSON.parse(await ask('STEPTREE.STATS')) as Statistics;
      return seen.old >= enough && connections > load.clients;
    });
    files.replaceWait();
    const loaded = await ask('PLUGIN', 'RELOAD', files.wait);
    inTime = !isOver;
    tell(`PLUGIN RELOAD wait.so: ${loaded}`);
    await until(() => seen.next >= enough);
    const [result] = await benchmark;
    const perSecond = Math.round(result!.perSecond);
    tell(`redis-benchmark WAIT.TICK 1: ${load.requests} requests, ${perSecond} a second, 0 errors`);
  } finally {
    going = false;
    await Promise.all(watching);
    control.kill();
  }
  const all = seen.old + seen.next;
  tell(
    `${watchers} clients that check: ${all} replies, ${seen.old} before, ${seen.next} after, ${seen.wrong.length} wrong`,
  );
  for (const wrong of seen.wrong.slice(0, 5)) tell(`WRONG: ${wrong}`);
  if (!inTime) tell('WRONG: redis-benchmark had ended before');
  return inTime && seen.next > 0 && seen.wrong.length === 0;
}

/** Asks one thing after the other: each reply has to come, and to be right; once the new plug-in has answered, the old one never does. */
async function watch(port: number, seen: Seen, goesOn: () => boolean): Promise<void> {
  const client = await WireClient.connect(port);
  let isNext = false;
  try {
    while (goesOn()) {
      client.command('WAIT.VERSION');
      const version = await client.takeReply();
      client.command('WAIT.TICK', '2');
      const waited = await client.takeReply();
      isNext ||= version === '$5\r\n2.0.0\r\n';
      const right = version === `$5\r\n${isNext ? '2.0.0' : '1.0.0'}\r\n` && waited === ':2\r\n';
      if (!right) seen.wrong.push(JSON.stringify([version, waited]));
      seen[isNext ? 'next' : 'old'] += 2;
    }
  } catch (error) {
    seen.wrong.push(`no reply: ${error instanceof Error ? error.message : error}`);
  } finally {
    client.kill();
  }
}
