/** How far the run is, on standard error: a bar on a terminal, else a line now and then. */

const width = 30;
const lineEveryMs = 10_000;

export class Progress {
  readonly #total: number;
  readonly #stream: NodeJS.WriteStream;
  readonly #started = performance.now();
  #done = 0;
  #lineDue = this.#started;

  constructor(total: number, stream: NodeJS.WriteStream = process.stderr) {
    this.#total = total;
    this.#stream = stream;
  }

  /** `what` is about to be done. */
  step(what: string): void {
    if (this.#stream.isTTY) this.#stream.write(`\r\x1b[K${this.#bar()} ${what}`);
    else if (performance.now() >= this.#lineDue) this.#line(what);
    this.#done++;
  }

  /** Something that is to be read: it stays. */
  say(text: string): void {
    this.#stream.write(`${this.#stream.isTTY ? '\r\x1b[K' : ''}${text}\n`);
  }

  end(): void {
    const seconds = ((performance.now() - this.#started) / 1000).toFixed(0);
    this.say(`${this.#done} of ${this.#total} programs run in ${seconds} s`);
  }

  #bar(): string {
    const filled = Math.round((width * this.#done) / this.#total);
    return `[${'='.repeat(filled).padEnd(width)}] ${this.#count()} ${this.#left()}`;
  }

  #line(what: string): void {
    this.#lineDue = performance.now() + lineEveryMs;
    this.#stream.write(`${this.#count()} ${this.#left()} ${what}\n`);
  }

  #count(): string {
    const total = String(this.#total);
    return `${String(this.#done).padStart(total.length)}/${total}`;
  }

  #left(): string {
    if (this.#done < 3) return '      ';
    const seconds = (performance.now() - this.#started) / 1000;
    const left = (seconds / this.#done) * (this.#total - this.#done);
    return `${left.toFixed(0).padStart(4)} s`;
  }
}
