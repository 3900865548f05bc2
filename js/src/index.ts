// The whole public API, and the order of the files: each imports those before it in this list, never one after it.
// `tools/layers.ts` holds that, so each file can be loaded, tested and understood with those below it alone.
//
//     values    codes declared context portable heir view phase kind clock runqueue results errortext error errorchain foreign state
//     data      step path guard holds child timers admission random timer order shelter report thenable returned toolcore tree
//     tools     asynctool virtualtool
//     outcome   abandoned end outcome latch stepsignal bodies awaiting completion enter waiters
//     frame     frame handler cleanup stopping
//     engine    closing cancel unwind signal settle timeout run
//     looks     isnapshot ids guardlook waits waittext steptext waiting written flowlook snapshot deadlocks snapshottext
//     kinds     loopmode definition steps delay await shield retry loop sync lease branches parallel hedge map
//     guards    local several mutex remoteguard throttle rwlock limiter gate barrier callwindow circuit breaker keyed reader taking retrybudget
//     flows     istep iasyncsteps adder iparallel accessor asyncsteps channel start scope dumponsignal
//     events    ievent lane telling observe irecording recordtext ways trace ring recorder metrics publish
//     stalls    cut held watchdog stallwatch index otel pool locate native
//     redis     redisoptions leaselife redisclient redisscripts redisreplicas subscriptions untold redischannel redisconnection jobtext failures jobfailure jobretry deadletter jobqueue heldjob jobsource drainsignal taker working worker callsession caller redisservice call servedcall serving serve redislocal redissession redisticket redislease redislook redisrenewal redisplaces redisguard redismutex redisrwlock redisthrottle redislimiter redis
//     pages     imessages lately slowest flowentry flowfilter lasting inspected serverthread inspector
//
// What is below calls what is above in three ways only: a line's `turn` and `end`, what `kind` lists of a step's `work` and options, and
// two of the flow: `timeUp`, `endPass`. No row below `kinds` names a kind of steps, not even as a type.

export { AsyncSteps, run, type AsyncStepsOptions } from './asyncsteps.js';
export { Barrier, type BarrierOptions } from './barrier.js';
export { Breaker, type BreakerOptions } from './breaker.js';
export { Channel, type ChannelOptions } from './channel.js';
export type { BreakerState } from './circuit.js';
export { errors } from './codes.js';
export { dumpOnSignal, type DumpOptions } from './dumponsignal.js';
export type * from './declared.js';
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
  MapOptions,
  RepeatBody,
  RunOptions,
  Signal,
} from './iasyncsteps.js';
export type * from './ievent.js';
export type { Part, ResultOf, Step, Success, Values } from './istep.js';
export { delay } from './delay.js';
export { Lease } from './lease.js';
export { forEach, loop, repeat } from './loop.js';
export { Local, local } from './local.js';
export { map } from './map.js';
export { all, any, parallel, race } from './parallel.js';
export { hedge } from './hedge.js';
export { retry } from './retry.js';
export { shield } from './shield.js';
export { step, steps } from './steps.js';
export { sync } from './sync.js';
export { Gate, type GateOptions } from './gate.js';
export { type KeyableGuard, Keyed } from './keyed.js';
export { Limiter, type LimiterOptions } from './limiter.js';
export { Metrics, type MetricsRead } from './metrics.js';
export { Mutex, type MutexOptions } from './mutex.js';
export type { HedgeOptions } from './hedge.js';
export type { Backoff, RetryOptions } from './retry.js';
/** @internal For `steptree/redis`. */
export { RemoteGuard } from './remoteguard.js';
export { RetryBudget, type RetryBudgetOptions } from './retrybudget.js';
export { RwLock, type RwLockOptions } from './rwlock.js';
export { Scope, type ScopeOptions, type ScopeRunOptions } from './scope.js';
export { AsyncTool, defaultTool, type StartOptions, VirtualTool } from './start.js';
export { FlightRecorder, type RecorderOptions } from './recorder.js';
export type * from './irecording.js';
export type * from './isnapshot.js';
export { observe, type ObserveOptions } from './observe.js';
export { publishEvents } from './publish.js';
export { snapshot, type SnapshotOptions } from './snapshot.js';
/** @internal For `steptree/redis`. */
export { Several } from './several.js';
export { snapshotText, type SnapshotTextOptions } from './snapshottext.js';
export { StallWatch, type StallOptions } from './stallwatch.js';
export { State } from './state.js';
export { Throttle, type ThrottleOptions } from './throttle.js';
/** @internal For `steptree/redis`. */
export { admissionOf } from './throttle.js';
export type { Handle, ToolOptions } from './toolcore.js';
export type { VirtualToolOptions } from './virtualtool.js';
export type { AbandonedOptions, GuardOptions } from './waiters.js';
export type { Locate } from './written.js';
