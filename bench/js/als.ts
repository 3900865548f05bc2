import { AsyncSteps, type IAsyncSteps, type IOutcome, run, steps } from 'steptree';
import { inContexts } from './contexts.js';
import { work } from './requests.js';

type IsRight = (id: number) => boolean;

/** Flows in contexts of their own, one after the other, filled by what `filling` gives. */
function contextual(
  filling: (isRight: () => boolean, right: () => void) => (flow: AsyncSteps) => unknown,
): (size: number) => Promise<number> {
  return (size) =>
    inContexts(
      (run, isRight: IsRight) =>
        new Promise((resolve, reject) => {
          let done = 0;
          let id = -1;
          const fill = filling(
            () => isRight(id),
            () => done++,
          );
          const start = () => {
            const flow = new AsyncSteps();
            fill(flow);
            flow.execute(next);
          };
          function next(outcome?: IOutcome): void {
            if (outcome?.kind === 'error') return reject(outcome.error);
            if (++id === size) return resolve(done);
            run(id, start);
          }
          next();
        }),
    );
}

/** A flow of two steps, one inside the other; the inner one looks at its store. */
export const als = contextual((isRight, right) => {
  const inner = () => {
    if (isRight()) right();
  };
  const outer = (asi: IAsyncSteps) => asi.add(inner);
  return (flow) => flow.add(outer);
});

const settled = Promise.resolve(7);

/** A flow that awaits a resolved promise. */
export const als_await = contextual((isRight, right) => {
  const body = () => settled;
  const take = (_: IAsyncSteps, value: number) => {
    if (value === 7 && isRight()) right();
  };
  return (flow) => flow.add(body).add(take);
});

/** A step that is completed from outside, by a microtask. */
export const als_external = contextual((isRight, right) => {
  const body = (asi: IAsyncSteps) => {
    const done = asi.waitExternal();
    queueMicrotask(() => done.success(7));
  };
  const take = (_: IAsyncSteps, value: number) => {
    if (value === 7 && isRight()) right();
  };
  return (flow) => flow.add(body).add(take);
});

/** Three async bodies with a deadline and a signal, by a promise. */
export function als_request3(size: number): Promise<number> {
  return inContexts(async (inContext, isRight) => {
    const body = (_: IAsyncSteps, n: number) => work(n);
    const last = (_: IAsyncSteps, n: number) => work(isRight(n - 2) ? n : 0);
    const request = steps(body, body, last).timeout(1_000);
    let done = 0;
    for (let id = 0; id < size; id++) {
      const { signal } = new AbortController();
      const answer = await inContext(id, () => run(request.with(id), { signal }));
      if (answer === id + 3) done++;
    }
    return done;
  });
}
