/** The smallest program that is still wrong in the same way. */
import type { Program } from '../case.js';
import { programs } from './programs.js';

export interface Effort {
  /** How many are tried at the same time. */
  readonly atATime: number;
  /** Enough: the smallest so far will do. */
  readonly isOver: () => boolean;
}

/**
 * Candidates are tried some at a time, the first of them that is wrong is taken, and its own smaller ones are tried from
 * where it was found: what came before has just been tried in vain on nearly the same program.
 */
export async function minimise(
  program: Program,
  isWrong: (candidate: Program) => Promise<boolean>,
  effort: Effort,
): Promise<Program> {
  let smallest = program;
  let from = 0;
  for (;;) {
    const found = await firstWrong(smallest, from, isWrong, effort);
    if (found === undefined && from === 0) return smallest;
    if (effort.isOver()) return found?.candidate ?? smallest;
    smallest = found?.candidate ?? smallest;
    from = found?.at ?? 0;
  }
}

async function firstWrong(
  program: Program,
  from: number,
  isWrong: (candidate: Program) => Promise<boolean>,
  { atATime, isOver }: Effort,
): Promise<{ candidate: Program; at: number } | undefined> {
  let at = 0;
  let batch: { candidate: Program; at: number }[] = [];
  const tried = async () => {
    const wrong = await Promise.all(batch.map(({ candidate }) => isWrong(candidate)));
    const found = batch[wrong.indexOf(true)];
    batch = [];
    return found;
  };
  for (const { value } of programs.shrink(program, undefined)) {
    if (at >= from) batch.push({ candidate: value, at });
    at++;
    if (batch.length < atATime) continue;
    const found = await tried();
    if (found !== undefined || isOver()) return found;
  }
  return tried();
}
