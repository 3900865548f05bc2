import { parseArgs } from 'node:util';
import { residentMb } from './memory.js';
import { overload } from './overload.js';
import { ServerProcess } from './serverprocess.js';
import { cppServer, jsServer } from './servers.js';
import { WireClient } from './wireclient.js';

/**
 * Keeps a server under four times its limit and shows what becomes of it, a line for every ten seconds:
 *
 *   node --import tsx tools/resp/soak.ts --server cpp --seconds 600 --rate 2000
 *
 * In each of them 50 clients are answered and 50 others vanish in the middle of what they have asked. Exit code 0: every command
 * was answered, and nothing is left of any client.
 */
const { values: args } = parseArgs({
  options: {
    server: { type: 'string', default: 'js' },
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '2000' },
  },
});
const slice = 10;
const vanishing = 50;
const limits = ['--serverRate', args.rate, '--idleMs', '5000'];
const server = await ServerProcess.start(args.server === 'cpp' ? cppServer : jsServer, limits);

async function vanish(): Promise<void> {
  for (let i = 0; i < vanishing; i += 1) {
    const client = await WireClient.connect(server.port);
    client.command(...(i % 2 ? ['BLPOP', 'soak', '0'] : ['STEPTREE.SLEEP', '5']));
    await new Promise((resolve) => setTimeout(resolve, (slice * 800) / vanishing));
    client.kill(i % 4 < 2);
  }
}

console.log('seconds      sent    served  rejected  wrong  resident MB');
let wrong = 0;
for (let second = slice; second <= Number(args.seconds); second += slice) {
  const load = { clients: 50, pipeline: 16, perSecond: 4 * Number(args.rate), seconds: slice };
  const [seen] = await Promise.all([overload(server.port, load), vanish()]);
  wrong += seen.wrong.length;
  const counts = [seen.sent, seen.served, seen.rejected].map((count) => String(count).padStart(10));
  const memory = residentMb(server.pid).toFixed(1).padStart(13);
  console.log(
    `${String(second).padStart(7)}${counts.join('')}${String(seen.wrong.length).padStart(7)}${memory}`,
  );
}
const { flowsAlive, waiters, failed } = await server.stop();
console.log(`flows ${flowsAlive}, waiters ${waiters}, failed ${failed}`);
process.exitCode = wrong + flowsAlive + waiters + failed === 0 ? 0 : 1;
