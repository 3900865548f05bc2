import { readFileSync } from 'node:fs';

/** What a process has in memory, in MB, as Linux counts it. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)![1]) / 1024;
}

/** Looks at a process ten times a second. */
export class MemoryWatch {
  readonly samples: number[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.timer = setInterval(() => this.samples.push(residentMb(pid)), 100);
  }

  /** How much the peak of the second half is above that of the first one. */
  stop(): number {
    clearInterval(this.timer);
    const half = this.samples.length >> 1;
    return Math.max(...this.samples.slice(half)) - Math.max(...this.samples.slice(0, half));
  }
}
