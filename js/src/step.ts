// A step: what it is made of. What it can do as an accessor is in `accessor`, which only flows bring along: they make all steps.

import type { Accessor } from './accessor.js';
import type { CancelHandler, ErrorHandler } from './iasyncsteps.js';
import type { Kind } from './kind.js';
import { DEFERRED, EXITS, OPENS } from './phase.js';
import type { Aborter } from './stepsignal.js';
import type { StepTimer } from './timer.js';
import type { Line, Watcher, Within } from './tree.js';

export interface StepFields {
  bits: number;
  /** Its level. */
  tail: Step | null;
  count: number;
  /** Set when the step opens. */
  line: Line;
  /** While the step is queued: the next one of its level. Then: its parent. */
  link: Step | null;
  /** Its body, or its kind: see `kindOf`. Then what the body waits for, or what knows the step from outside. */
  work: any;
  index: number;
  options: Options | null;
}

export interface Step extends Accessor {}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: see above
export class Step {
  constructor(bits: number, work: unknown, index: number) {
    this.bits = bits;
    this.tail = null;
    this.count = 0;
    this.line = null as unknown as Line;
    this.link = null;
    this.work = work;
    this.index = index;
    this.options = null;
  }
}

/** Who tells observers of what its flow does, if there are any. */
export function watcherOf({ line }: Step): Watcher | null {
  return line.flow.settings.tool.watching;
}

/** As a function of its own, for flows that somebody observes. */
export const within: Within = (step, call, a, b, c, d) => {
  const watcher = watcherOf(step);
  return watcher === null ? call(a!, b!, c!, d!) : watcher.within(step, call, a, b, c, d);
};

/** What most steps never have. */
export class Options {
  name: string | null = null;
  onerror: ErrorHandler | null = null;
  timer: StepTimer | null = null;
  cancel: CancelHandler | null = null;
  /** Of the signal that it has made last, if one was asked for, which is to be aborted when it is left. */
  declare aborter?: Aborter;
  aborts = false;
  /** Steps for its deferred functions: a ring as a level is, what was registered last stands first. */
  deferred: Step | null = null;
  /** Of a step whose body runs, or has run. */
  kind: Kind | null = null;
  /** What it has set for all that is below it. Rare enough to be no field of the others. */
  declare locals?: Map<object, unknown>;
}

export function optionsOf(step: Step): Options {
  return (step.options ??= new Options());
}

/** The step has ended with ok, or is left: what would undo it is for nothing now. */
export function forgetUndo(options: Options): void {
  options.cancel = null;
  options.aborts = false;
}

/** The kind of a step that has one: the step's work, or if that is a body, or what the body waits for, it stands in the options. */
export function kindOf({ options, work }: Step): Kind {
  return options === null ? work : (options.kind ?? work);
}

/** The same of any step; null if its work is a body, which is the program's. */
export function kindIf(step: Step): Kind | null {
  return step.bits & (OPENS | EXITS) && (step.bits & DEFERRED) === 0 ? kindOf(step) : null;
}

/** The body of a step that has a kind is its work from now on. Returns its options. */
export function giveBody(step: Step, body: unknown): Options {
  const options = optionsOf(step);
  options.kind = step.work;
  step.work = body;
  return options;
}
