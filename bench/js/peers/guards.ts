import type { Program } from '../subject.js';

let done = 0;
const leaf = async (): Promise<void> => {
  done++;
};

type Run = (work: () => Promise<void>) => Promise<unknown>;

/** Work that nobody else is in the way of, one after the other. */
export function alone(run: Run): Program {
  return async (size) => {
    done = 0;
    for (let i = 0; i < size; i++) await run(leaf);
    return done;
  };
}

/** Work that comes, `crowd` at a time, while somebody is in; he leaves, and each gets in in turn. */
export function contended(run: Run): (crowd: number) => Program {
  return (crowd) => async (size) => {
    done = 0;
    for (let left = size; left > 0; left -= crowd) {
      let leave!: () => void;
      const stay = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const all = [run(() => stay)];
      for (let i = Math.min(left, crowd); i > 0; i--) all.push(run(leaf));
      leave();
      await Promise.all(all);
    }
    return done;
  };
}
