const started = performance.now();
let part = 0;

/** Says what is done now; parts are counted. */
export function announce(total: number, title: string): void {
  part += 1;
  say(`\n[${part}/${total}] ${title} (${seconds()} s)`);
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Shows a line that the next one replaces; only where somebody looks on. */
export function flash(line: string): void {
  if (!process.stdout.isTTY) return;
  const width = process.stdout.columns - 1;
  process.stdout.write(`\r${line.slice(0, width).padEnd(width)}\r`);
}

export function seconds(): string {
  return ((performance.now() - started) / 1000).toFixed(1);
}
