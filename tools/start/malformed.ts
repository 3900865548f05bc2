import type { ServerProcess } from '../resp/serverprocess.js';
import { expectedOf, playWireCase, readWireCases } from '../resp/wire.js';
import { say } from './progress.js';
import type { Comparison } from './sidebyside.js';

/** Sends what no client of good manners sends, byte by byte, and compares what comes back. */
export async function compareWire(servers: ServerProcess[]): Promise<Comparison> {
  const result: Comparison = { asked: 0, different: 0, errors: 0 };
  for (const wire of readWireCases()) {
    const expected = expectedOf(wire);
    const answers = await Promise.all(servers.map(({ port }) => playWireCase(port, wire)));
    const equal = answers.every((answer) => answer === expected);
    result.asked += 1;
    result.different += equal ? 0 : 1;
    result.errors += expected.split('\r\n').filter((line) => line.startsWith('-')).length;
    say(`    ${equal ? '=' : 'DIFFERENT'}  ${wire.name}`);
    if (!equal) say(JSON.stringify({ expected, answers }, null, 2));
  }
  return result;
}
