/** What a language does with a mutated file: builds it, and lets its tests have a look at what came out. */
import type { EngineFile } from './files.js';

/** same: the compiler makes the same of it. broken: it doesn't compile. */
export type Built = 'made' | 'same' | 'broken';

export interface Workshop {
  /** The copy of the tree that it works on. */
  readonly tree: string;
  build(file: string, source: string, mutated: string): Promise<Built>;
  /** In this order, the last one takes longest; what one lives through, the next one may kill. Each tells who failed. */
  defences(file: EngineFile, limitMs: number): readonly (() => Promise<string | undefined>)[];
  /** For one that has lived: whether the optimised program is the same. */
  isSame(file: string, source: string, mutated: string): Promise<boolean>;
}
