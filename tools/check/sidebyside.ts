/** Runs parts two at a time, in their order as far as their folders allow; then those that want to be alone. */
import type { Part } from './part.js';

type Place = Pick<Part, 'folder' | 'alone'>;

const width = 2;

export async function sideBySide<P extends Place>(
  parts: readonly P[],
  check: (part: P) => Promise<void>,
): Promise<void> {
  const waiting = parts.filter(({ alone }) => alone === undefined);
  const running = new Map<P, Promise<void>>();
  const isFree = ({ folder }: P) =>
    folder === undefined || ![...running.keys()].some((other) => other.folder === folder);
  while (waiting.length > 0 || running.size > 0) {
    const next = running.size < width ? waiting.find(isFree) : undefined;
    if (next === undefined) {
      await Promise.race(running.values());
      continue;
    }
    waiting.splice(waiting.indexOf(next), 1);
    running.set(
      next,
      check(next).finally(() => running.delete(next)),
    );
  }
  for (const part of parts) if (part.alone) await check(part);
}
