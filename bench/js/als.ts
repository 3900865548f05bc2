import { AsyncSteps, type IAsyncSteps, type IOutcome } from 'steptree';
import { inContexts } from './contexts.js';

/** As `simple`, each flow in a context of its own. */
export function als(size: number): Promise<number> {
  return inContexts(
    (run, isRight) =>
      new Promise((resolve, reject) => {
        let done = 0;
        let id = -1;
        const inner = () => {
          if (isRight(id)) done++;
        };
        const outer = (asi: IAsyncSteps) => asi.add(inner);
        const start = () => new AsyncSteps().add(outer).execute(next);
        function next(outcome?: IOutcome): void {
          if (outcome?.kind === 'error') return reject(outcome.error);
          if (++id === size) return resolve(done);
          run(id, start);
        }
        next();
      }),
  );
}
