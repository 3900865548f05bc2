import type { Counts } from './counts.js';

/** What came of a part. */
export interface Result extends Counts {
  readonly name: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

export function line({ name, passed, failed, seconds, cpuSeconds }: Result, note = ''): string {
  const verdict = failed === 0 ? 'ok    ' : 'FAILED';
  const counts = `${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed`;
  const times = `${seconds.toFixed(1).padStart(7)} s ${cpuSeconds.toFixed(1).padStart(7)} s CPU`;
  return `${verdict} ${name.padEnd(44)} ${counts} ${times}${note}`;
}

/** The last line is what .ci/run reads. */
export function summary(results: readonly Result[], seconds: number): string {
  const total = (of: (result: Result) => number) => results.reduce((sum, r) => sum + of(r), 0);
  const cpu = total(({ cpuSeconds }) => cpuSeconds).toFixed(0);
  return [
    ...results.map((result) => line(result)),
    '',
    `${results.length} parts took ${seconds.toFixed(0)} s, ${cpu} s of CPU time`,
    `${total(({ passed }) => passed)} passed, ${total(({ failed }) => failed)} failed`,
  ].join('\n');
}
