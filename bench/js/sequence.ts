import { AsyncSteps, type IOutcome } from 'steptree';

/** Runs `n` flows, one after the other: each is made when the one before has ended. */
export function sequence(n: number, fill: (flow: AsyncSteps) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = n;
    const next = (outcome?: IOutcome) => {
      if (outcome?.kind === 'error') return reject(outcome.error);
      if (left-- === 0) return resolve();
      const flow = new AsyncSteps();
      fill(flow);
      flow.execute(next);
    };
    next();
  });
}
