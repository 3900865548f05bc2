// The whole public API, and the order of the files: each imports those before it in this list, never one after it.
// `tools/layers.ts` holds that, so each file can be loaded, tested and understood with those below it alone.
//
//     values    codes context portable heir view phase kind clock runqueue errortext error errorchain foreign state
//     data      path step guard holds child timers admission random timer order shelter report thenable returned toolcore tree
//     tools     asynctool virtualtool
//     outcome   abandoned end latch stepsignal awaiting completion enter waiters
//     frame     frame handler cleanup stopping
//     engine    closing cancel unwind signal settle timeout run
//     kinds     loopmode delay await shield retry loop sync parallel map
//     guards    mutex throttle rwlock limiter channel retrybudget
//     flows     iasyncsteps adder iparallel accessor asyncsteps index pool
//
// What is below calls what is above in three ways only: a line's `turn` and `end`, what `kind` lists of a step's `work` and options, and
// two of the flow: `timeUp`, `endPass`. No row below `kinds` names a kind of steps, not even as a type.

export { AsyncSteps, type AsyncStepsOptions } from './asyncsteps.js';
export { AsyncTool, defaultTool } from './asynctool.js';
export { Channel } from './channel.js';
export { errors } from './codes.js';
export { LoopControl, StepError } from './error.js';
export type { Guard } from './guard.js';
export type {
  Body,
  CancelHandler,
  Deferred,
  EachBody,
  ErrorHandler,
  Hook,
  IAdder,
  IAsyncSteps,
  ICancelledOutcome,
  ICompletion,
  IErrorOutcome,
  IFlow,
  IOkOutcome,
  IOutcome,
  IParallel,
  ISignal,
  ISteps,
  ISync,
  MapBody,
  MapOptions,
  RepeatBody,
  RetryBody,
  RunOptions,
  Signal,
} from './iasyncsteps.js';
export { Limiter, type LimiterOptions } from './limiter.js';
export { Mutex } from './mutex.js';
export type { Backoff, RetryOptions } from './retry.js';
export { RetryBudget, type RetryBudgetOptions } from './retrybudget.js';
export { RwLock, type RwLockOptions } from './rwlock.js';
export { State } from './state.js';
export { Throttle, type ThrottleOptions } from './throttle.js';
export type { Handle, ToolOptions } from './toolcore.js';
export { VirtualTool, type VirtualToolOptions } from './virtualtool.js';
export type { AbandonedOptions } from './waiters.js';
