// The whole public API.

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
export { type Backoff, RetryBudget, type RetryBudgetOptions, type RetryOptions } from './retry.js';
export { RwLock, type RwLockOptions } from './rwlock.js';
export { State } from './state.js';
export { Throttle, type ThrottleOptions } from './throttle.js';
export type { Handle, ToolOptions } from './toolcore.js';
export { VirtualTool, type VirtualToolOptions } from './virtualtool.js';
export type { AbandonedOptions } from './waiters.js';
