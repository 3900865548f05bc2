// The root: a flow is its own root line, and what its maker holds in his hands.

import { Adder } from './accessor.js';
import { defaultTool } from './asynctool.js';
import { endPass, requestCancel } from './cancel.js';
import { inNode } from './context.js';
import {
  type Ending,
  finishOk,
  keepContext,
  settling,
  afterTurn,
  tell,
  tellApart,
  tellClosed,
} from './end.js';
import {
  badArgument,
  checkBoolean,
  checkCount,
  checkFunction,
  checkOptions,
  misuse,
} from './error.js';
import { heirOf } from './heir.js';
import type { Hook, IFlow, IOutcome, RunOptions } from './iasyncsteps.js';
import type { BindItsValues, First, Ready, ResultOf } from './istep.js';
import type { Program } from './kind.js';
import { IDLE, INNER, TELLS } from './phase.js';
import { printReport, throwUnhandled } from './report.js';
import { turn } from './run.js';
import { endBySignal, signalIn } from './signal.js';
import { inspectable } from './snapshottext.js';
import { State, type StateOf, withViews } from './state.js';
import { checkPart } from './steps.js';
import { timeUp } from './timeout.js';
import type { StepTimer } from './timer.js';
import { checkDelay } from './timers.js';
import { ToolCore } from './toolcore.js';
import type { Line } from './tree.js';
import { checkName } from './waiters.js';

/**
 * Of a flow: for `new AsyncSteps`, `run`, `start` and `Scope`. A bad or unknown one: `InternalError` at the call. Guide: docs/production.md
 */
export interface AsyncStepsOptions {
  /** The event loop. Default: `defaultTool`. */
  tool?: ToolCore | undefined;
  /** What snapshots call it, to tell it from others; `''` if absent. */
  name?: string | undefined;
  /**
   * The object that is the flow's `state`. Default: an empty one. It gets the views of the error that is handled (`error_info`, …), so it
   * can't have such keys itself; one that is frozen has no views.
   */
  state?: object | undefined;
  /** How many bodies the root line may run in one turn, 1 or more. Default: 100. */
  burst?: number | undefined;
  /**
   * How many milliseconds each deferred function has till it is abandoned and `report` is told; so long is waited for what takes time to
   * stop, too. 0 or more. Default: 5000. Guide: docs/cleanup.md#nothing-from-outside-ends-a-cleanup
   */
  grace?: number | undefined;
  /**
   * Gets an error that nobody else gets to see: of a flow without `done` or promise. Default: it's thrown, uncaught, with its path in its
   * `stack`, and what a recorder of its tool has of the flow. Guide: docs/production.md#what-nobody-has-caught
   */
  unhandled?: Hook | undefined;
  /**
   * Whether errors that the program raises keep the frames of the call, in their `stack`: which line it was, beside which step. It costs some
   * microseconds for each. Default: `false`. Other exceptions have their own, a thrown `new StepError()` has none.
   */
  captureStacks?: boolean | undefined;
  /**
   * Gets what goes wrong beside the flow: in a cancel handler, in an iterator's `return()`, a cleanup that is abandoned. Default: it's
   * printed. Guide: docs/production.md#what-nobody-has-caught
   */
  report?: Hook | undefined;
}

/** What a flow and its new instances have in common. */
class Settings {
  declare readonly tool: ToolCore;
  declare readonly name: string;
  declare readonly burst: number;
  declare readonly grace: number;
  declare readonly unhandled: Hook;
  declare readonly report: Hook;
  declare readonly captureStacks: boolean;

  constructor(options: AsyncStepsOptions) {
    const { tool = defaultTool, name, burst = 100, grace = 5000, captureStacks = false } = options;
    const { unhandled = throwUnhandled, report = printReport } = options;
    if (!ToolCore.is(tool)) badArgument('tool', 'a tool', tool);
    this.tool = tool;
    this.name = checkName('AsyncSteps', name);
    this.burst = checkCount('burst', burst, 1);
    checkFunction('unhandled', unhandled);
    checkFunction('report', report);
    checkBoolean('captureStacks', captureStacks);
    this.grace = checkDelay('grace', grace);
    this.unhandled = unhandled;
    this.report = report;
    this.captureStacks = captureStacks;
  }
}

const usual = /* @__PURE__ */ new Settings({});

// biome-ignore lint/correctness/noUnusedVariables: it is merged with the class
interface AsyncSteps<S = any> extends Adder<S> {}
/** @internal Its `flow` is itself: what a proxy of it stands for. */
// biome-ignore lint/correctness/noUnusedVariables: the same
interface AsyncSteps<S = any> extends Line {}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: it inherits them, see below, and its constructor makes all of a line
class AsyncSteps<S = any> implements IFlow<S> {
  /** @internal How many steps its level has had. */
  declare count: number;
  /** @internal */
  declare settings: Settings;
  /** @internal The state, once it was asked for. */
  declare memory: State | null;
  /** @internal */
  declare ending: Ending;
  /** @internal The live flow of its tool that has begun before it; null if it isn't live. */
  declare before: AsyncSteps | null;
  /** @internal The one that has begun after it. */
  declare after: AsyncSteps | null;
  /** @internal What it runs, if that is no more than a sequence of bodies and steps: `count` says how many have begun. */
  declare program: Program | null;

  /** A flow, idle and empty. `InternalError` for a bad or unknown option. Guide: docs/production.md */
  constructor(options?: AsyncStepsOptions);
  /** @internal Options of these names are given to that call. */
  constructor(options: AsyncStepsOptions | undefined, call: string, known: string);
  constructor(options?: AsyncStepsOptions, call?: string, known?: string) {
    this.bits = IDLE;
    this.tail = null;
    this.count = 0;
    this.flow = this;
    this.top = null;
    this.slot = -1;
    this.results = 0;
    this.value = undefined;
    this.latch = null;
    this.holds = null;
    this.deadline = null;
    this.settings = usual;
    this.memory = null;
    this.ending = null;
    this.before = null;
    this.after = null;
    this.program = null;
    if (options !== undefined) configure(this, options, call, known);
  }

  /** @internal */
  turn(): void {
    if (this.bits & TELLS) return tell(this);
    turn(this);
    afterTurn(this);
  }

  /** @internal */
  get isCallback(): boolean {
    return (this.bits & TELLS) !== 0;
  }

  /** @internal */
  end(): void {
    finishOk(this);
  }

  /** @internal What was done outside of a turn is over. */
  endPass(): void {
    endPass(this);
  }

  /** @internal A timer of a step has fired. */
  timeUp(timer: StepTimer): void {
    timeUp(timer);
  }

  get state(): StateOf<S> {
    return (this.memory ??= new State()) as StateOf<S>;
  }

  newInstance(): AsyncSteps {
    return likeThat(this);
  }

  execute(done?: (outcome: IOutcome) => void, options?: RunOptions): void {
    executeAs(this.flow, 'execute', done, checkRun('execute', options));
  }

  promise<T = any>(options?: RunOptions): Promise<T> {
    return promised(this.flow, 'promise', checkRun('promise', options));
  }

  cancel(reason?: string): void {
    if (reason !== undefined && typeof reason !== 'string')
      badArgument('cancel', 'a string', reason);
    requestCancel(this.flow, reason);
  }

  running(): boolean {
    return (this.bits & IDLE) === 0;
  }

  closed(): Promise<void> {
    return new Promise((resolve) => tellClosed(this.flow, resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    requestCancel(this.flow, undefined);
    return this.closed();
  }
}

/**
 * A flow: filled with steps, executed, cancelled, filled again. Everything happens on its tool; in the `AsyncLocalStorage` context of who has
 * executed it, unless the tool's `keepContext` is off. Guide: docs/waiting.md#flows-in-flows
 *
 *     const flow = new AsyncSteps({ grace: 1000 });
 *     const page = await flow.add(profile.with('42')).promise();
 */
const FlowHeir = /* @__PURE__ */ inspectable(/* @__PURE__ */ heirOf(Adder, AsyncSteps));
type FlowHeir<S = any> = AsyncSteps<S>;
export { FlowHeir as AsyncSteps };

/**
 * Runs a step value or a body in a flow of its own, and gives a promise of its first value, `undefined` if it has none. It fails with the
 * step's error, or with `Canceled` after `signal` was aborted. The same as `new AsyncSteps(options).add(step).promise(options)`. Options are
 * those of a flow. What is no step or body: `InternalError` at the call. Guide: docs/first-flow.md#one-step
 *
 *     const page = await run(profile.with('42'), { signal: AbortSignal.timeout(500) });
 */
export function run<R>(
  step: Ready<R, BindItsValues>,
  options?: AsyncStepsOptions & RunOptions,
): Promise<First<ResultOf<R>>> {
  checkPart('run', step);
  return runAs('run', step, options);
}

/** A run that errors in the options call by that name. */
export function runAs<R>(
  call: string,
  step: Ready<R, BindItsValues>,
  options?: AsyncStepsOptions & RunOptions,
): Promise<First<ResultOf<R>>> {
  const flow = new FlowHeir(options, call, RUN).add(step);
  return promised(flow, call, options);
}

/** The class has no use for its own name, so that a bundler has none for another one. */
function likeThat({ settings }: AsyncSteps): AsyncSteps {
  const flow = new FlowHeir();
  flow.settings = settings;
  return flow;
}

const KNOWN = 'tool name state burst grace unhandled report captureStacks';
export const RUN = /* @__PURE__ */ KNOWN.concat(' signal');

function configure(
  flow: AsyncSteps,
  options: AsyncStepsOptions,
  call = 'AsyncSteps',
  known = KNOWN,
): void {
  if (ToolCore.is(options)) badArgument(call, '{ tool }', options);
  const { state } = checkOptions(call, options, known);
  if (state !== undefined) flow.memory = withViews(state);
  flow.settings = new Settings(options);
}

function checkRun(call: string, options?: RunOptions): RunOptions | undefined {
  return options === undefined ? options : checkOptions(call, options, 'signal');
}

/** Errors name that call; the names of the options have been looked at. */
export function promised<T>(flow: AsyncSteps, call: string, options?: RunOptions): Promise<T> {
  let done: Ending = null;
  const promise = new Promise<T>((resolve, reject) => {
    done = settling(resolve, reject);
  });
  start(flow, call, done, options);
  return promise;
}

/** The same, for who is called. */
export function executeAs(
  flow: AsyncSteps,
  call: string,
  done?: (outcome: IOutcome) => void,
  options?: RunOptions,
): void {
  if (done !== undefined) checkFunction(call, done);
  start(flow, call, done ?? null, options);
}

function start(flow: AsyncSteps, call: string, ending: Ending, options?: RunOptions): void {
  const given = options === undefined ? null : signalIn(call, options);
  if (flow.running()) throw misuse(`${call}: the flow is running`);
  if (flow.bits & TELLS) tellApart(flow);
  const { tool } = flow.settings;
  flow.ending = ending;
  flow.bits = INNER;
  if (inNode) keepContext(flow, tool.keepContext);
  if (given?.signal !== undefined && endBySignal(flow, given.signal, given.aborted)) return;
  tool.enqueue(flow);
  tool.watching?.begun(flow);
}
