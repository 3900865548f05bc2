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
  for (const row of rowsOf(answers, equal, width)) say(`    ${row}`);
}

/** All of them: what is wider than its column goes on in the next row. */
export function rowsOf(answers: readonly string[], equal: boolean, width: number): string[] {
  const columns = answers.map((answer) => {
    const lines = answer.trimEnd().split('\n');
    return lines.flatMap((line) => partsOf(line, width));
  });
  const height = Math.max(...columns.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) =>
    columns.map((column) => (column[row] ?? '').padEnd(width)).join(equal ? '  =  ' : ' <-> '),
  );
}

function partsOf(line: string, width: number): string[] {
  const count = Math.max(1, Math.ceil(line.length / width));
  return Array.from({ length: count }, (_, i) => line.slice(i * width, (i + 1) * width));
}

/** Says how much it leaves out. */
export function shorten(text: string, width: number): string {
  if (text.length <= width) return text;
  const shown = width - 24;
  return `${text.slice(0, shown)}... (${text.length - shown} more)`;
}
