/** Step values: what is described once, and put into a level any number of times; and the step that runs parts of such. */
import type { Adder } from './adding.js';
import { leave } from './leave.js';
import { makeStep, type Handler, type Kind, type Step, type Values } from './shape.js';
import { arm } from './timeout.js';
import { misuse } from './thrown.js';

/** [values-1]: whatever is called of it gives another one. */
export interface Value {
  kind: Kind;
  /** The call that makes it, if the kind doesn't say that. [observe-5] */
  call?: string | undefined;
  parts: () => Partial<Step>;
  name?: string | undefined;
  handler?: Handler | undefined;
}

/** [values-2] */
export function put(to: Adder, value: Value): Step {
  const { kind, call = kind, parts, name, handler } = value;
  const step = Object.assign(makeStep(kind, to.flow), parts(), { call, handler });
  to.put(step, name);
  return step;
}

/** [values-10] [values-11]: that of a section guards its body, so there it stands around it. */
export function onError(value: Value, handler: Handler): Value {
  const { kind, name } = value;
  const takes = value.handler === undefined && kind !== 'section' && kind !== 'loop';
  return takes ? { ...value, handler } : { ...wrap(value, {}), name, handler };
}

/** [values-8] */
export function named(value: Value, name: string): Value {
  return { ...value, name };
}

/** [values-9] [values-11] */
export function timeout(value: Value, time: number, code?: string): Value {
  if (!(time >= 0)) throw misuse('a limit is a number from 0 up');
  if (code === '') throw misuse('a code is a text');
  return wrap(value, { time, code });
}

/** [values-12] */
export function bind(value: Value, values: Values): Value {
  if (values.length > 4) throw misuse('at most 4 values');
  return wrap(value, { bound: values });
}

function wrap(value: Value, more: Partial<Sequence>): Value {
  const isBare = value.kind === 'steps' && value.call === undefined && value.handler === undefined;
  const call = isBare && more.bound === undefined ? undefined : 'step';
  return { ...sequence({ parts: [value], hidden: true, ...more }, value.name), call };
}

/** The parts of a step, and how many of them have begun. */
export interface Sequence {
  parts: Value[];
  /** They have no elements in paths. */
  hidden: boolean;
  time?: number;
  code?: string | undefined;
  bound?: Values;
}

function sequence(given: Sequence, name?: string): Value {
  return { kind: 'steps', name, parts: () => ({ sequence: given }) };
}

/** [values-4] */
export function stepsOf(parts: Value[]): Value {
  return sequence({ parts, hidden: false });
}

/** [values-5] [values-6]: the first part gets what it finds. */
export function startSteps(step: Step, values: Values): void {
  const { time, code, bound } = step.sequence!;
  step.line!.values = bound ?? values;
  if (time !== undefined) arm(step, time, code);
}

/** [values-4]: a part opens after the other; none after a handler of the step has run. */
export function nextPart(step: Step): void {
  const { parts, hidden } = step.sequence!;
  const part = step.handled ? undefined : parts[step.begun++];
  if (part === undefined) leave(step, { how: 'ok', values: step.line!.values });
  else putInside(step, part, hidden);
}

/** [values-7]: what stands in the place of a body is the only step inside, and nobody sees that there are two. */
export function putInside(parent: Step, value: Value, hidden = true): void {
  const to = { flow: parent.flow, put: (step: Step, name?: string) => putInto(parent, step, name) };
  put(to, value).hidden = hidden;
  if (hidden) parent.counted--;
}

/** [model-16] [error-31] [error-34] */
export function putInto(parent: Step, step: Step, name?: string): void {
  step.parent = parent;
  step.element = name ?? `${parent.counted}`;
  parent.counted++;
  parent.level.push(step);
}

/** [values-3]: a body or handler returns it. */
export class Returned {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}
