const started = performance.now();
let part = 0;
let nextFlash = 0;

/** Says what is done now; parts are counted. */
export function announce(total: number, title: string): void {
  part += 1;
  say(`\n[${part}/${total}] ${title} (${seconds()} s)`);
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Shows a line that the next one replaces; where nobody looks on, only now and then and for good. */
export function flash(line: string): void {
  if (process.stdout.isTTY) {
    const width = process.stdout.columns - 1;
    process.stdout.write(`\r${line.slice(0, width).padEnd(width)}\r`);
  } else if (performance.now() > nextFlash) {
    nextFlash = performance.now() + 5000;
    say(`    ${line}`);
  }
}

export function seconds(): string {
  return ((performance.now() - started) / 1000).toFixed(1);
}
