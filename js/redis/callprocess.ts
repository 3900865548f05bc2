/**
 * A process that serves or calls, for tests that kill it: `ROLE URL SERVICE OPTIONS`. A server has the method `work`, which takes so many milliseconds, and says `begins`,
 * `ends` or `left`, and the second argument, if there is one; a caller calls it `count` times at once, for the `ms` of its options, and says of each the code of its error, or `ok`.
 */
import { writeSync } from 'node:fs';
import { delay, type IAsyncSteps, run, steps } from '../src/index.js';
import { call, RedisConnection, RedisService, serve } from '../src/redis.js';
import { clients } from './clients.js';

interface Work {
  work(ms: number, name?: string): string;
}

const [role, url, name, text] = process.argv.slice(2) as [string, string, string, string];
const { client = 'redis', ms = 0, count = 1, service: own, ...options } = JSON.parse(text);
const connection = await clients[client as keyof typeof clients](url);
const shop = new RedisConnection(connection.client, { prefix: 'shop' });
const service = new RedisService<Work>(shop, name, own);
/** Written before anything else happens, so that a kill loses none. */
const write = (line: string) => writeSync(1, `${line}\n`);

const work = steps((asi: IAsyncSteps, [ms, name]: [ms: number, name?: string | undefined]) => {
  const say = (what: string) => write(name === undefined ? what : `${what} ${name}`);
  say('begins');
  asi.setCancel(() => say('left'));
  return steps(delay(ms), () => {
    say('ends');
    return 'done';
  });
});
if (role === 'server') serve(service, { work }, { report: () => {}, ...options });
else {
  write('calls');
  const said = Array.from({ length: count }, () =>
    run(call(service, 'work', [ms])).then(
      () => write('ok'),
      ({ code }) => write(code),
    ),
  );
  await Promise.all(said);
  process.exit(0);
}
