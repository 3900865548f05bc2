import { defaultTool, FlightRecorder, observe } from 'steptree';
import { simple } from './simple.js';

/** `simple`, while an observer is told of it, which does no more than to count. */
export async function observed(size: number): Promise<number> {
  let events = 0;
  const watching = observe(defaultTool, () => {
    events++;
  });
  const done = await simple(size);
  watching.cancel();
  return events > size ? done : 0;
}

/** The same, while a recorder keeps its last events. */
export async function recorded(size: number): Promise<number> {
  const recorder = new FlightRecorder(defaultTool);
  const done = await simple(size);
  recorder.cancel();
  return recorder.events().length > 0 ? done : 0;
}
