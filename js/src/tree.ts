// The structures: a Flow is its own root Line; a Line holds a chain of open steps; a step holds a level of queued ones.
//
// - All open steps of a line form the chain top -> parent -> ... -> null; only `top` may be in a phase other than INNER.
// - A level is a ring: `tail` is its last step, `tail.link` its first. A level's owner is a step, or a line (its root level).
// - The results slot is filled by success() and emptied by the next body, or by whatever has no use for it.

import type { AsyncSteps } from './asyncsteps.js';
import { hushQueued } from './await.js';
import { badArgument, type Failure } from './error.js';
import type { CancelHandler, ErrorHandler, ISync } from './iasyncsteps.js';
import type { Guard } from './guard.js';
import type { Hold } from './holds.js';
import { turnBranch } from './parallel.js';
import { CLOSED, CLOSES, FOREVER, INNER, ITERATION, QUEUED } from './phase.js';
import { turn } from './run.js';
import type { Aborter } from './signal.js';
import { Step } from './step.js';
import { closeSpecial } from './cleanup.js';
import { disarmStep, type StepTimer } from './timer.js';

/** Whatever steps can be added to. */
export interface Owner {
  bits: number;
  tail: Step | null;
  count: number;
}

/** The results of a line that are more than one. */
export class Values {
  declare readonly r0: unknown;
  declare readonly r1: unknown;
  declare readonly r2: unknown;
  declare readonly r3: unknown;

  constructor(r0: unknown, r1: unknown, r2: unknown, r3: unknown) {
    this.r0 = r0;
    this.r1 = r1;
    this.r2 = r2;
    this.r3 = r3;
  }
}

/** A line of execution; stands in its tool's queue iff it has something to do. */
export interface Line {
  bits: number;
  tail: Step | null;
  flow: AsyncSteps;
  top: Step | null;
  /** Its place in the run queue; -1 when it isn't there. */
  slot: number;
  /** How many results there are. */
  results: number;
  /** The result, or `Values`. */
  value: unknown;
  /** The failure that the top step has latched or that was claimed for it. */
  latch: Failure | null;
  /** What it has of guards. */
  holds: Hold | null;
  /** The innermost timer of the line, or of those around it. */
  deadline: StepTimer | null;
  turn(): void;
}

/** A branch of a parallel step. */
export class Branch implements Line {
  declare bits: number;
  declare tail: Step | null;
  declare readonly flow: AsyncSteps;
  declare top: Step | null;
  declare slot: number;
  declare results: number;
  declare value: unknown;
  declare latch: Failure | null;
  declare holds: Hold | null;
  declare deadline: StepTimer | null;
  declare readonly host: Step;
  /** The branch that was added after this one. */
  declare sibling: Branch | null;

  constructor(host: Step) {
    this.bits = INNER;
    this.tail = null;
    this.flow = host.line.flow;
    this.top = null;
    this.slot = -1;
    this.results = 0;
    this.value = undefined;
    this.latch = null;
    this.holds = null;
    this.deadline = host.line.deadline;
    this.host = host;
    this.sibling = null;
  }

  turn(): void {
    turnBranch(this);
  }
}

/** An item of a map: its line serves another one when it has ended. */
export class Item extends Branch {
  /** The item that was started before this one, of those that are open. */
  declare elder: Item | null;
  declare index: number;

  constructor(host: Step) {
    super(host);
    this.elder = null;
    this.index = 0;
  }

  override turn(): void {
    turn(this);
  }
}

/** The parallel step that the line is a branch of; null for a root. */
export function hostOf(line: Line): Step | null {
  return line === line.flow ? null : (line as Branch).host;
}

/** The line, or the innermost one around it that isn't closed. */
export function openLine(line: Line): Line {
  let at = line;
  while (at !== at.flow && (at.bits & CLOSED) !== 0) at = (at as Branch).host.line;
  return at;
}

/** What most steps never have. */
export class Options {
  declare name: string | null;
  declare onerror: ErrorHandler | null;
  declare timer: StepTimer | null;
  declare cancel: CancelHandler | null;
  /** Of its signal, if it was asked for. */
  declare aborter: Aborter | null;
  /** Steps for its deferred functions: a ring as a level is, what was registered last stands first. */
  declare deferred: Step | null;

  constructor() {
    this.name = null;
    this.onerror = null;
    this.timer = null;
    this.cancel = null;
    this.aborter = null;
    this.deferred = null;
  }
}

/** The options of a section: what it's guarded with stands in them till it has closed. */
export interface Guarded extends Options {
  readonly guard: ISync | Guard;
}

export function optionsOf(step: Step): Options {
  return (step.options ??= new Options());
}

/** The step has ended with ok, or is left: what would undo it is for nothing now. */
export function forgetUndo(options: Options): void {
  options.cancel = options.aborter = null;
}

/** Queues a new step as the last of a level. A name that is refused leaves the level as it is. */
export function append(
  owner: Owner,
  kind: number,
  work: unknown,
  onerror: ErrorHandler | null,
  name?: string,
): Step {
  if (name !== undefined && typeof name !== 'string') badArgument('name', 'a string', name);
  const step = new Step(kind | QUEUED, work, owner.count++);
  const { tail } = owner;
  if (tail === null) {
    step.link = step;
  } else {
    step.link = tail.link;
    tail.link = step;
  }
  owner.tail = step;
  if (onerror !== null) optionsOf(step).onerror = onerror;
  if (name) optionsOf(step).name = name;
  return step;
}

/** Drops what is queued on a level; a parallel among it takes no branches any more. */
export function drop(owner: Pick<Owner, 'tail'>): void {
  let step = owner.tail;
  owner.tail = null;
  while (step !== null && (step.bits & QUEUED) !== 0) {
    hushQueued(step);
    step.bits = CLOSED;
    step = step.link;
  }
}

/** Takes the first step out of a level that has one. */
export function takeFirst(owner: Pick<Owner, 'tail'>): Step {
  const tail = owner.tail!;
  const first = tail.link!;
  if (first === tail) owner.tail = null;
  else tail.link = first.link;
  return first;
}

/** Makes a step the innermost open one of its line. */
export function open(line: Line, step: Step, phase: number): void {
  step.line = line;
  step.link = line.top;
  step.bits = (step.bits & FOREVER) | phase;
  line.top = step;
}

/** The step is left for good; its parent is the innermost open one now. Values of an iteration or a lock end with it. */
export function close(line: Line, step: Step): void {
  if (step.options !== null) disarmStep(step);
  if (step.bits & ITERATION) clearResults(line);
  if (step.bits & CLOSES) closeSpecial(line, step);
  step.bits = (step.bits & FOREVER) | CLOSED;
  line.top = step.link;
}

export function clearResults(line: Line): void {
  if (line.results === 0) return;
  line.results = 0;
  line.value = undefined;
}
