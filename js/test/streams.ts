// Async iterables that write down what is asked of them.

export interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

export function deferred<T>(): Deferred<T> {
  const made = {} as Deferred<T>;
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

/** Gives the items, then what `last` is: a promise of an answer, an error to reject with, or the end. */
export function stream<T>(items: T[], last?: Promise<IteratorResult<T>> | Error) {
  const left = [...items];
  let pending = 0;
  const source = {
    log: [] as string[],
    /** How many promises were pending at a time. */
    most: 0,
    [Symbol.asyncIterator]: () => ({
      async next(): Promise<IteratorResult<T>> {
        source.log.push('next');
        source.most = Math.max(source.most, ++pending);
        await null;
        pending--;
        if (left.length > 0) return { done: false, value: left.shift()! };
        if (last instanceof Error) throw last;
        return last ?? { done: true, value: undefined };
      },
      async return(): Promise<IteratorResult<T>> {
        source.log.push('return');
        return { done: true, value: undefined };
      },
    }),
  };
  return source;
}
