import type { ServerProcess } from '../resp/serverprocess.js';
import { say } from './progress.js';

/** Says where the pages are. Returns when it's interrupted, or a server ends, which is said. */
export async function showPages(
  servers: readonly ServerProcess[],
  interrupted: Promise<undefined>,
): Promise<void> {
  say('\n    look at both, each with the client that is stuck, until Ctrl-C:');
  for (const { name, url } of servers) say(`    ${name.padEnd(12)}${url}`);
  const ends = servers.map(async ({ name, ended }) => `the ${name} server ended: ${await ended}`);
  const end = await Promise.race([interrupted, ...ends]);
  if (end !== undefined) say(`\n    ${end}`);
}
