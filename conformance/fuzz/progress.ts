/** How far a run is: a bar on a terminal, elsewhere a line now and then. */
const width = 30;
const everyMs = { terminal: 200, file: 15_000 };

export class Progress {
  readonly #started = performance.now();
  readonly #output: NodeJS.WriteStream;
  #told = performance.now();

  constructor(output: NodeJS.WriteStream) {
    this.#output = output;
  }

  /** `share` is what part of the run is done, 0 to 1. */
  tell(share: number, programs: number, findings: number): void {
    const now = performance.now();
    const { isTTY } = this.#output;
    if (now - this.#told < (isTTY ? everyMs.terminal : everyMs.file)) return;
    this.#told = now;
    const text = `${programs} programs, ${this.perSecond(programs)}/s, ${findings} findings`;
    const done = Math.round(share * width);
    const bar = `[${'#'.repeat(done)}${' '.repeat(width - done)}] ${text}`;
    this.#output.write(isTTY ? `\r${bar}\x1b[K` : `${text}, ${Math.round(share * 100)} %\n`);
  }

  clear(): void {
    if (this.#output.isTTY) this.#output.write('\r\x1b[K');
  }

  get seconds(): number {
    return (performance.now() - this.#started) / 1000;
  }

  perSecond(programs: number): number {
    return Math.round(programs / this.seconds);
  }
}
