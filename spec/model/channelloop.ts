/** Loops over channels: when an iteration is due, its value is taken; or a step inside, which nobody sees, waits for one. */
import { type Channel, tryReceive, waitForValue } from './channel.js';
import { leave } from './leave.js';
import type { Line, Step, Values } from './shape.js';
import { put, type Value } from './steps.js';

function takingOf(channel: Channel): Value {
  return { kind: 'taking', parts: () => ({ channel }) };
}

/** [channel-39] [channel-42]: its values are the value; it has none if the channel was closed meanwhile. */
export function startTaking(step: Step): void {
  step.phase = 'waiting';
  waitForValue(step.channel!, step, true);
}

/** The arguments of the next iteration, if there is one now. [channel-38] [channel-39] [channel-40] */
export function takeNext(loop: Step): Values | undefined {
  const line = loop.line!;
  const channel = loop.channel!;
  const came = loop.took && line.values.length > 0;
  const taken = came ? { value: line.values[0] } : tryReceive(channel);
  loop.took = false;
  line.values = [];
  if (taken !== undefined) return [loop.iterations, taken.value];
  line.budget--; // [model-54]
  loop.flow.tool.busy++;
  if (channel.closed) {
    leave(loop, { how: 'ok', values: [] });
  } else {
    loop.took = true;
    addTaking(loop, channel);
  }
  return undefined;
}

/** In a loop; or as the first step of a line of a map. */
export function addTaking(owner: Step, channel: Channel): void {
  put(
    { flow: owner.flow, put: (step) => owner.level.push(within(owner, step)) },
    takingOf(channel),
  );
}

function within(parent: Step, step: Step): Step {
  return Object.assign(step, { parent, hidden: true });
}

/** What a line of a map has waited for. */
export function tookBy({ values }: Line): { item: unknown } | undefined {
  return values.length > 0 ? { item: values[0] } : undefined;
}
