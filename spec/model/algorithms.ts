/** How a throttle counts its entries. */

export interface Algorithm {
  isFree(now: number): boolean;
  take(now: number): void;
  /** The time has come for those who wait. */
  tick?(now: number): void;
  /** Does it let in what it would if nobody had entered? [sync-187] */
  isNew(now: number): boolean;
  /** When does it let the next one in? Asked when it is not free. */
  nextAt(now: number): number;
}

/** [sync-50] [sync-51] [sync-52] [sync-58] [sync-62] */
function fixed(max: number, period: number): Algorithm {
  let end = Number.NEGATIVE_INFINITY;
  let entered = 0;
  return {
    isFree: (now) => now >= end || entered < max,
    take(now) {
      if (now >= end) {
        entered = 0;
        end = now + period;
      }
      entered++;
    },
    tick(now) {
      if (now < end) return;
      entered = 0;
      end += (Math.floor((now - end) / period) + 1) * period;
    },
    isNew: (now) => now >= end,
    nextAt: () => end,
  };
}

/** [sync-63] [sync-64] */
function sliding(max: number, period: number): Algorithm {
  const entries: number[] = [];
  const freeAt = () => (entries.at(-max) ?? Number.NEGATIVE_INFINITY) + period;
  return {
    isFree: (now) => now >= freeAt(),
    take: (now) => void entries.push(now),
    isNew: (now) => now >= (entries.at(-1) ?? Number.NEGATIVE_INFINITY) + period,
    nextAt: freeAt,
  };
}

/** [sync-65] [sync-66]: `max` parts run in each millisecond, an entry takes `period` of them. */
function bucket(max: number, period: number, capacity: number): Algorithm {
  let level = capacity * period;
  let at = 0;
  const levelAt = (now: number) => Math.min(capacity * period, level + max * (now - at));
  return {
    isFree: (now) => levelAt(now) >= period,
    take(now) {
      level = levelAt(now) - period;
      at = now;
    },
    isNew: (now) => levelAt(now) === capacity * period,
    nextAt: (now) => now + Math.ceil((period - levelAt(now)) / max),
  };
}

export const algorithms = { fixed, sliding, bucket };
