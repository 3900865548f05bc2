// Calls of a worker, answered by promises.

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly failure?: string;
}

/** What a worker can be asked; each answers later. */
export type Asked<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : never;
};

/** A worker that can't be loaded, or breaks, fails what it has been asked, and what it will be. */
export function ask<T extends object>(worker: Worker): Asked<T> {
  const pending = new Map<number, (answer: Answer) => void>();
  let last = 0;
  let broken: string | undefined;
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    pending.get(data.id)?.(data);
    pending.delete(data.id);
  });
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    broken = brokenBy(event);
    for (const [id, tell] of pending) tell({ id, failure: broken });
    pending.clear();
  });
  const call = (name: string, args: unknown[]) =>
    new Promise((resolve, reject) => {
      if (broken !== undefined) return reject(new Error(broken));
      const id = ++last;
      pending.set(id, ({ result, failure }) =>
        failure === undefined ? resolve(result) : reject(new Error(failure)),
      );
      worker.postMessage({ id, name, args });
    });
  return new Proxy({} as Asked<T>, {
    get: (_, name) =>
      name === 'then' ? undefined : (...args: unknown[]) => call(String(name), args),
  });
}

/** Of a script that isn't there nothing is said. */
export const brokenBy = ({ message }: ErrorEvent): string => message || 'its script is missing';

/** In the worker: one after the other. */
export function answer(can: object): void {
  let last: Promise<void> = Promise.resolve();
  const answerOne = async ({ data: { id, name, args } }: MessageEvent) => {
    try {
      self.postMessage({ id, result: await (can as any)[name](...args) });
    } catch (failure) {
      self.postMessage({ id, failure: String(failure) });
    }
  };
  self.addEventListener('message', (event) => {
    last = last.then(() => answerOne(event));
  });
}
