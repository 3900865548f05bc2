/** Lines of steptree: each is a flow, a loop of operations. */
import { AsyncSteps, type IAsyncSteps, type IOutcome } from 'steptree';
import { type Place, ramp } from './subject.js';

/** Adds an operation of that line. */
export type Add = (asi: IAsyncSteps, line: number) => void;

/** Settles once they run, as a program does. */
export async function flows(
  place: Place,
  add: Add,
  heard: () => Promise<unknown>,
): Promise<() => Promise<unknown>> {
  const { tally } = place;
  const all: Promise<void>[] = [];
  const start = (line: number): void => {
    const flow = new AsyncSteps({ unhandled: () => {} }).loop((asi) => {
      if (tally.isOver) asi.break();
      const began = tally.now();
      add(asi, line);
      asi.add(() => tally.add(began));
    });
    const ended = (resolve: () => void) => (outcome: IOutcome) => {
      if (outcome.kind === 'error') tally.fail(outcome.error);
      resolve();
    };
    all.push(new Promise((resolve) => flow.execute(ended(resolve))));
  };
  await ramp(place, start, heard);
  return () => Promise.all(all);
}
