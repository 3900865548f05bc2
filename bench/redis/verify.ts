/** A run whose result is wrong fails. */
import type { Counted } from '../js/redis/tally.js';
import { entries } from '../js/redis/subject.js';

/** Sections of one lock, of whatever process, that were open at the same time. */
function meeting(counted: readonly Counted[]): number {
  const spans = counted.flatMap(({ spans: own }) =>
    Array.from({ length: own.length / 2 }, (_, i) => [own[2 * i]!, own[2 * i + 1]!] as const),
  );
  spans.sort(([one], [other]) => one - other);
  return spans.filter(([began], i) => i > 0 && began < spans[i - 1]![1]).length;
}

/** Jobs, or calls, that were run twice, or left out. All of a chain have run when its last one does. */
function strayJobs(counted: readonly Counted[]): number {
  const chains = new Map<number, { last: number; count: number }>();
  for (const one of counted)
    for (const [chain, { last, count }] of one.chains) {
      const all = chains.get(chain) ?? { last: -1, count: 0 };
      all.last = Math.max(all.last, last);
      all.count += count;
      chains.set(chain, all);
    }
  let stray = 0;
  for (const { last, count } of chains.values()) stray += Math.abs(last + 1 - count);
  return stray;
}

export function verify(program: string, counted: readonly Counted[]): void {
  const count = counted.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) throw new Error('no operation has ended');
  const admitted = counted.reduce((sum, one) => sum + one.admitted, 0);
  if (program === 'refusals' && admitted !== entries)
    throw new Error(`${admitted} were let in, of ${entries}`);
  const met = meeting(counted);
  if (met > 0) throw new Error(`${met} sections have met another one`);
  const stray = strayJobs(counted);
  if (stray > 0) throw new Error(`${stray} jobs or calls have run twice, or not at all`);
}
