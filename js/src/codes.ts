// Generated from spec/errors.json by `npm run codes`; do not edit.

/** The codes that the runtime itself raises. */
export const errors = {
  /**
   * A mistake in the program or a failure without a code of its own: misuse of a call, a bad
   * argument, a foreign exception.
   */
  InternalError: 'InternalError',
  /** A step and everything under it took longer than its timer allows. */
  Timeout: 'Timeout',
  /** The flow was cancelled; its promise is rejected with this code and the reason as info. */
  Canceled: 'Canceled',
  /** A guard refused the work: its queue is full, or it is open, as a breaker. */
  DefenseRejected: 'DefenseRejected',
  /** Waiting for a guard could never end, since the waiter's own enclosing lines hold it. */
  Deadlock: 'Deadlock',
  /** A guard has taken back the lock of a section that was open. */
  LeaseLost: 'LeaseLost',
  /** Redis doesn't answer in time, or refuses what a guard has asked it for. */
  RedisFailed: 'RedisFailed',
  /** The server of a call has gone, or Redis: whether the call was run isn't known. */
  CallLost: 'CallLost',
  /** The server of a call has no such method. */
  UnknownMethod: 'UnknownMethod',
  /** The arguments of a call are none for its method. */
  InvalidCall: 'InvalidCall',
  /** Every one of several alternatives failed; their errors are in `also`. */
  AllFailed: 'AllFailed',
  /**
   * The channel is closed: nothing can be sent, and nothing is left to receive. Or the connection
   * to Redis is closed.
   */
  Closed: 'Closed',
  /** A flow with buffers of a fixed size has no place for another step. */
  OutOfSteps: 'OutOfSteps',
  /** Stands in a chain of causes for errors that are left out of it; its info says how many. */
  Omitted: 'Omitted',
  /**
   * A body held the loop for longer than a `StallWatch` allows: told to `report`, no error of the
   * flow.
   */
  Stalled: 'Stalled',
  /**
   * A line waited for longer than a `StallWatch` allows: told to `report`, no error of the flow.
   */
  StalledWait: 'StalledWait',
  /** This implementation knows the call but doesn't have the feature. */
  NotImplemented: 'NotImplemented',
} as const;

/** After these nothing is tried again by default: another attempt can't mend them. [flow-49] */
export const finals: readonly string[] = [
  'InternalError',
  'Canceled',
  'Deadlock',
  'UnknownMethod',
  'InvalidCall',
  'Closed',
  'OutOfSteps',
  'NotImplemented',
];
