import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RedisCli } from './rediscli.js';

/** One thing typed and its answer: lines, each with its end. Or only a `heading`. */
export interface Exchange {
  heading?: string;
  line: string;
  answer: string;
}

export const transcriptFile = join(import.meta.dirname, 'transcript.txt');

/**
 * Reads what a user of redis-cli types and sees, on one connection to an empty server: `> line` followed by its answer, `# text` is
 * a heading. The answers are those of Redis 7.0; `node --import tsx tools/resp/record.ts` asks it again.
 */
export function readTranscript(text = readFileSync(transcriptFile, 'latin1')): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const line of text.split('\n')) {
    const last = exchanges.at(-1);
    if (line.startsWith('# ')) exchanges.push({ heading: line.slice(2), line: '', answer: '' });
    else if (line.startsWith('> ')) exchanges.push({ line: line.slice(2), answer: '' });
    else if (line !== '' && last) last.answer += `${line}\n`;
  }
  return exchanges;
}

/** Asks the server on `port` everything that the transcript asks. `told` is called after each answer. */
export async function askAll(
  port: number,
  exchanges: Exchange[],
  told: (answered: Exchange) => void = () => {},
): Promise<Exchange[]> {
  const cli = new RedisCli(port);
  const answered: Exchange[] = [];
  try {
    for (const exchange of exchanges) {
      const asked = exchange.heading === undefined;
      const answer = asked ? await cli.ask(exchange.line) : '';
      answered.push({ ...exchange, answer });
      told(answered.at(-1)!);
    }
  } finally {
    cli.close();
  }
  return answered;
}

export function writeTranscript(exchanges: Exchange[]): string {
  return exchanges
    .map(({ heading, line, answer }, i) => {
      const title = i > 0 && exchanges[i - 1]!.heading === undefined ? '\n' : '';
      return heading === undefined ? `> ${line}\n${answer}` : `${title}# ${heading}\n`;
    })
    .join('');
}
