import { RedisCli } from '../resp/rediscli.js';
import type { ServerProcess } from '../resp/serverprocess.js';
import { readTranscript } from '../resp/transcript.js';
import { say } from './progress.js';

export interface Comparison {
  asked: number;
  different: number;
  /** Answers that are errors, on purpose, of each server. */
  errors: number;
}

const columnWidth = 56;

/** Holds the recorded conversation with both servers through redis-cli and shows their answers side by side. */
export async function compareTranscripts(servers: ServerProcess[]): Promise<Comparison> {
  const result: Comparison = { asked: 0, different: 0, errors: 0 };
  const clients = servers.map(({ port }) => new RedisCli(port));
  say(`    ${servers.map(({ name }) => name.padEnd(columnWidth)).join('     ')}`);
  try {
    for (const { heading, line, answer } of readTranscript()) {
      if (heading !== undefined) {
        say(`\n    # ${heading}`);
        continue;
      }
      const answers = await Promise.all(clients.map((client) => client.ask(line)));
      const equal = answers.every((given) => given === answer);
      showAnswers(line, answers, equal);
      result.asked += 1;
      result.different += equal ? 0 : 1;
      result.errors += answer.startsWith('(error)') ? 1 : 0;
      if (!equal) say(`    Redis says: ${answer}`);
    }
  } finally {
    for (const client of clients) client.close();
  }
  return result;
}

function showAnswers(line: string, answers: string[], equal: boolean): void {
  say(`    > ${shorten(line, 2 * columnWidth)}`);
  showColumns(answers, equal);
}

/** Texts of several lines, one beside the other. */
export function showColumns(answers: readonly string[], equal: boolean, width = columnWidth): void {
  const columns = answers.map((answer) => answer.trimEnd().split('\n'));
  const height = Math.max(...columns.map(({ length }) => length));
  for (let row = 0; row < height; row += 1) {
    const cells = columns.map((column) => shorten(column[row] ?? '', width));
    say(`    ${cells.map((cell) => cell.padEnd(width)).join(equal ? '  =  ' : ' <-> ')}`);
  }
}

function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 3)}...`;
}
