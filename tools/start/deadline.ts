import { RedisCli } from '../resp/rediscli.js';
import type { ServerProcess } from '../resp/serverprocess.js';
import { count } from './pluginlines.js';
import { say } from './progress.js';
import type { Comparison } from './sidebyside.js';

/** The servers' `--commandMs`. */
const limit = 2000;
/** How long a busy machine may take to tell a deadline. */
const late = 5000;

/** Waits in a plug-in for longer than the server lets a command: what it sees of that, who ends the wait, and what is left of it. */
export async function showDeadline(servers: readonly ServerProcess[]): Promise<Comparison> {
  const result: Comparison = { asked: 0, different: 0, errors: 0 };
  const clients = servers.map(({ port }) => new RedisCli(port));
  const ask = (line: string) => Promise.all(clients.map((client) => client.ask(line)));
  try {
    say('    > WAIT.LEFT                the milliseconds that are left, as the plug-in sees it');
    const seen = (await ask('WAIT.LEFT')).map((answer) => Number(/\d+/.exec(answer)));
    const right = seen.every((ms) => ms > 0 && ms <= limit);
    count(
      result,
      seen.map((ms) => `(integer) ${right ? `at most ${limit}` : ms}`),
    );
    result.different += right ? 0 : 1;

    say('    > WAIT.TICK 60000          a minute is more than that');
    const begun = performance.now();
    const ends = clients.map(async (client) => {
      const answer = await client.ask('WAIT.TICK 60000');
      return { answer, ms: performance.now() - begun };
    });
    const ended = await Promise.all(ends);
    count(
      result,
      ended.map(({ answer }) => answer),
    );
    say(`    after ${ended.map(({ ms }) => `${Math.round(ms)} ms`).join(', ')}`);
    result.different += ended.every(({ ms }) => ms > limit - 1 && ms < limit + late) ? 0 : 1;

    say('    > WAIT.OPEN                how many the plug-in still lets wait');
    count(result, await ask('WAIT.OPEN'));
  } finally {
    for (const client of clients) client.close();
  }
  return result;
}
