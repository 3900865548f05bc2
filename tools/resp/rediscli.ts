import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

/** The real redis-cli on one connection: lines are typed, its formatted answers come back. */
export class RedisCli {
  private readonly child: ChildProcessWithoutNullStreams;
  private output = '';
  private ended = false;
  private asked = 0;
  private changed: () => void = () => {};

  constructor(port: number) {
    this.child = spawn('redis-cli', ['-h', '127.0.0.1', '-p', String(port), '--no-raw']);
    const append = (text: string) => {
      this.output += text;
      this.changed();
    };
    this.child.stdout.setEncoding('latin1').on('data', append);
    this.child.stderr.setEncoding('latin1').on('data', append);
    const end = () => {
      this.ended = true;
      this.changed();
    };
    this.child.on('error', end).on('close', end);
    this.child.stdin.on('error', end);
  }

  /** Answers say nothing of where they end: an ECHO behind each line does. */
  async ask(line: string): Promise<string> {
    this.asked += 1;
    const mark = `--end of ${this.asked}--`;
    this.child.stdin.write(`${line}\nECHO "${mark}"\n`);
    const shown = `"${mark}"\n`;
    while (!this.output.includes(shown)) {
      if (this.ended) throw new Error(`redis-cli has ended at «${line}»: ${this.output}`);
      await new Promise<void>((resolve) => (this.changed = resolve));
    }
    const answer = this.output.slice(0, this.output.indexOf(shown));
    this.output = this.output.slice(answer.length + shown.length);
    return answer;
  }

  /** Types a line whose answer nobody waits for. */
  type(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  close(): void {
    this.child.stdin.end();
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}
