import { RedisCli } from '../resp/rediscli.js';
import type { ServerProcess } from '../resp/serverprocess.js';
import { say } from './progress.js';
import { type Comparison, showColumns } from './sidebyside.js';

/** What is typed, and in which language the plug-in is that answers. */
const conversation = [
  ['in C, on keys of the server', 'SET tickets 10'],
  ['', 'TOKENS.TAKE tickets 3'],
  ['', 'TOKENS.TAKE tickets 8'],
  ['', 'GET tickets'],
  ['in C++, with a thread of its own', 'WAIT.TICK 50'],
  ['', 'WAIT.VERSION'],
  ['in Rust', 'WORDS.COUNT "to be or not to be"'],
  ['', 'WORDS.OF tickets'],
  ['', 'WORDS.SHA1 abc'],
  ['what is wrong is said by the server, or by the plug-in', 'WAIT.TICK'],
  ['', 'WAIT.TICK soon'],
  ['', 'WAIT.NOTHING'],
] as const;
const columnWidth = 44;
/** How long redis-cli has waited, which it says if that is long. */
const waited = /^\(\d+\.\d+s\)\n/m;

/** Types all of it into each server, and shows the answers side by side. */
export async function compareLines(servers: readonly ServerProcess[]): Promise<Comparison> {
  const result: Comparison = { asked: 0, different: 0, errors: 0 };
  const clients = servers.map(({ port }) => new RedisCli(port));
  say(`    ${servers.map(({ name }) => name.padEnd(columnWidth)).join('     ')}`);
  try {
    for (const [heading, line] of conversation) {
      if (heading !== '') say(`\n    # ${heading}`);
      say(`    > ${line}`);
      count(result, await Promise.all(clients.map((client) => client.ask(line))));
    }
  } finally {
    for (const client of clients) client.close();
  }
  return result;
}

/** Shows answers that should be equal. */
export function count(result: Comparison, said: readonly string[]): void {
  const answers = said.map((answer) => answer.replace(waited, ''));
  const equal = answers.every((answer) => answer === answers[0]);
  showColumns(answers, equal, columnWidth);
  result.asked += 1;
  result.different += equal ? 0 : 1;
  result.errors += answers[0]!.startsWith('(error)') ? 1 : 0;
}
