/** A guard for each key that needs one. */
import type { Guard } from './shape.js';
import { misuse } from './thrown.js';
import type { Tool } from './tool.js';

/** The guard of a key, and the sections that wait for it or are in. */
interface Keeper {
  key: string;
  guard: Guard;
  sections: number;
}

interface Keyed {
  make: (key: string) => Guard;
  /** Those that were made or looked at longest ago come first. */
  keepers: Keeper[];
}

/** [sync-189] [sync-190] */
export function makeKeyed(make: (key: string) => Guard): Guard {
  const keyed: Keyed = { make, keepers: [] };
  const never = (): never => {
    throw misuse('sections lock the guard of a key');
  };
  return {
    lock: never,
    unlock: never,
    says: () => ({ size: keyed.keepers.length }),
    of: (key) => guardOf(keyed, key),
  };
}

/** [sync-180] [sync-181]: who locks and who unlocks find the same guard, as it isn't dropped meanwhile. */
function guardOf(keyed: Keyed, key: string): Guard {
  return {
    lock: (step) => {
      const keeper = find(keyed, key) ?? made(keyed, key, step.flow.tool);
      keeper.sections++;
      try {
        keeper.guard.lock(step);
      } finally {
        step.lost.push((ok, claimed) => {
          if (!ok && !claimed) left(keyed, keeper);
        });
      }
    },
    unlock: (section, end, why) => {
      const keeper = find(keyed, key)!;
      try {
        keeper.guard.unlock(section, end, why);
      } finally {
        left(keyed, keeper);
      }
    },
    says: () => find(keyed, key)?.guard.says?.() ?? {},
  };
}

function find({ keepers }: Keyed, key: string): Keeper | undefined {
  return keepers.find((keeper) => keeper.key === key);
}

/** [sync-182] [sync-183] [sync-188] */
function made(keyed: Keyed, key: string, tool: Tool): Keeper {
  const keeper = { key, guard: keyed.make(key), sections: 0 };
  for (const old of keyed.keepers.slice(0, 2)) {
    drop(keyed, old);
    if (!isDroppable(old, tool)) keyed.keepers.push(old);
  }
  keyed.keepers.push(keeper);
  return keeper;
}

/** [sync-186] */
function left(keyed: Keyed, keeper: Keeper): void {
  keeper.sections--;
  if (isDroppable(keeper)) drop(keyed, keeper);
}

/** [sync-185] [sync-187]; without a tool: whatever time it is. */
function isDroppable({ guard, sections }: Keeper, tool?: Tool): boolean {
  return sections === 0 && guard.isNew!(tool);
}

function drop(keyed: Keyed, keeper: Keeper): void {
  keyed.keepers = keyed.keepers.filter((other) => other !== keeper);
}
