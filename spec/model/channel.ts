/** A channel: values from lines to lines, each received once. */
import { success } from './accessor.js';
import { addStep, adderOf } from './adding.js';
import { type Completion, completeError, completeOk } from './external.js';
import { infoOf, refuse, type Title } from './refusal.js';
import type { Step } from './shape.js';
import { firstOf, grant, wait, type Waiter } from './waiters.js';

const isClosed = 'it is closed';

export interface Channel {
  title: Title;
  capacity: number;
  closed: boolean;
  buffer: unknown[];
  senders: (Waiter & { value: unknown })[];
  /** What each of them has been given, once it has; and whether it's told of the end by no value, as loops are. */
  receivers: (Waiter & { value: unknown; loops: boolean })[];
}

/** [channel-28] [channel-29] */
export function says({ buffer, capacity, senders, receivers }: Channel): {
  [what: string]: number;
} {
  return {
    size: buffer.length,
    available: Math.max(0, capacity - buffer.length),
    senders: senders.length,
    receivers: receivers.length,
  };
}

export function makeChannel(capacity: number, name = ''): Channel {
  return {
    title: { kind: 'channel', name },
    capacity,
    closed: false,
    buffer: [],
    senders: [],
    receivers: [],
  };
}

/** [channel-3] [channel-5] [channel-6] [channel-12] [channel-18] [channel-22] [channel-23] */
export function send(channel: Channel, to: Step, value: unknown): void {
  addStep(adderOf(to), (step) => {
    if (channel.closed) refuseClosed(channel, step);
    step.taken = trySend(channel, value);
    if (!step.taken)
      wait(channel.senders, step, { ...atChannel(channel), what: 'send' }, { value }, () => {});
  });
}

/** [channel-4] [channel-15] [channel-19] [channel-21] [channel-23] */
export function receive(channel: Channel, to: Step): void {
  addStep(adderOf(to), (step) => {
    const received = tryReceive(channel);
    step.taken = received !== undefined;
    if (received !== undefined) return success(step, [received.value]);
    if (channel.closed) refuseClosed(channel, step);
    waitForValue(channel, step);
    return undefined;
  });
}

/** [channel-12] [channel-15] */
function refuseClosed({ title }: Channel, step: Step): void {
  refuse(step, 'Closed', title, isClosed);
}

/** [channel-8] [channel-19] [channel-21] [channel-39] [channel-41] */
export function waitForValue(channel: Channel, step: Step, loops = false): void {
  const more = { value: undefined, loops };
  wait(channel.receivers, step, atChannel(channel), more, ({ ok, granted }, { value }) => {
    if (granted && !ok) giveBack(channel, value);
  });
}

function atChannel({ title: { name } }: Channel) {
  return { what: 'receive', guard: undefined, name } as const;
}

/** [channel-9] [channel-25]: if it needs no waiting. */
export function trySend(channel: Channel, value: unknown): boolean {
  if (channel.closed) return false;
  if (handOver(channel, value)) return true;
  if (channel.buffer.length >= channel.capacity) return false;
  channel.buffer.push(value);
  return true;
}

/** [channel-1] [channel-7] [channel-10] [channel-14] [channel-26]: if it needs no waiting. */
export function tryReceive(channel: Channel): { value: unknown } | undefined {
  const { buffer, capacity, senders } = channel;
  if (buffer.length === 0 && firstOf(senders) === undefined) return undefined;
  if (buffer.length === 0) return { value: takeFrom(channel) };
  const value = buffer.shift();
  if (buffer.length < capacity && firstOf(senders) !== undefined) buffer.push(takeFrom(channel));
  return { value };
}

function takeFrom({ senders }: Channel): unknown {
  const sender = firstOf(senders)!;
  grant(senders, sender);
  return sender.value;
}

/** [channel-21]: the oldest value comes back. */
function giveBack(channel: Channel, value: unknown): void {
  if (!handOver(channel, value)) channel.buffer.unshift(value);
}

/** [channel-2] [channel-8] [channel-9] */
function handOver({ receivers }: Channel, value: unknown): boolean {
  const receiver = firstOf(receivers);
  if (receiver === undefined) return false;
  receiver.value = value;
  grant(receivers, receiver, [value]);
  return true;
}

/** [channel-13] [channel-17] [channel-42] */
export function close(channel: Channel): void {
  const info = infoOf(channel.title, isClosed);
  const fail = (completion: Completion) =>
    completeError(completion, 'Closed', info, { guard: channel.title.name });
  channel.closed = true;
  for (const { completion } of channel.senders) fail(completion);
  for (const { completion, loops } of channel.receivers) {
    if (loops) completeOk(completion, []);
    else fail(completion);
  }
  channel.senders = [];
  channel.receivers = [];
}
