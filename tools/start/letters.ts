/** What workers of letters say, and what that comes to: who did what, how many at a time, and whether all was done. */

/** A letter on its way. Microseconds, of a clock that all processes share. */
interface Sending {
  readonly to: string;
  readonly from: number;
  /** `Infinity`: it hasn't ended. */
  until: number;
  isDone: boolean;
}

export class Diary {
  readonly sent: Sending[] = [];
  #killed = Infinity;

  /** A line of its process: `1234 begins ann`, `1254 ends ann`, `1254 left ann`, or another one. */
  hear(line: string): void {
    const [, at, what, to] = /^(\d+) (begins|ends|left) (\S+)/.exec(line) ?? [];
    if (what === 'begins')
      this.sent.push({ to: to!, from: Number(at), until: Infinity, isDone: false });
    const open = this.sent.findLast((each) => each.to === to && each.until === Infinity);
    if (what === 'begins' || open === undefined) return;
    open.until = Number(at);
    open.isDone = what === 'ends';
  }

  /** Its process is killed now: nothing of it is on its way any more. */
  kill(): void {
    this.#killed = Number(process.hrtime.bigint() / 1000n);
    for (const each of this.sent) each.until = Math.min(each.until, this.#killed);
  }

  /** What was on its way when it was killed. */
  lost(): string[] {
    return this.sent.filter(({ until }) => until === this.#killed).map(({ to }) => to);
  }

  done(): string[] {
    return this.sent.filter(({ isDone }) => isDone).map(({ to }) => to);
  }

  get isBusy(): boolean {
    return this.sent.at(-1)?.until === Infinity;
  }
}

/** How many were on their way at a time, at most. */
export function mostAtOnce(diaries: readonly Diary[]): number {
  const all = diaries.flatMap(({ sent }) => sent);
  return Math.max(
    0,
    ...all.map(({ from }) => all.filter((one) => one.from <= from && from < one.until).length),
  );
}
