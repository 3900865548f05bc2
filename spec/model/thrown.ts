/** What can be thrown in a program. The code of each is told by `codeOf`. */

/** What an error says of who has refused, and for how long; or of what was waited for. [sync-67] [sync-162] [sync-172] [channel-43] [timeout-32] */
export interface Refusal {
  readonly waits?: string | undefined;
  readonly guard?: string | undefined;
  readonly retryAfter?: number | undefined;
}

/** An error of this runtime, thrown by `error()`, by misuse, or a rejection's reason. */
export class StepError {
  readonly code: string;
  readonly info: string;
  readonly refusal: Refusal;

  constructor(code: string, info = '', refusal: Refusal = {}) {
    this.code = code;
    this.info = info;
    this.refusal = refusal;
  }
}

/** What `break` and `continue` throw. */
export class LoopControl {
  readonly action: 'break' | 'continue';

  constructor(action: 'break' | 'continue') {
    this.action = action;
  }
}

/** An exception that isn't ours. */
export class Foreign {
  readonly message: string;
  readonly code: string | undefined;
  /** What it wraps. */
  readonly cause: Foreign | undefined;

  constructor(message: string, code?: string, cause?: Foreign) {
    this.message = message;
    this.code = code;
    this.cause = cause;
  }
}

/** [model-44] [model-84]: what is thrown to a caller who may not do what he did. */
export function misuse(info: string): StepError {
  return new StepError('InternalError', info);
}

/** [error-18] [error-19] [error-20] [error-22] */
export function codeOf(thrown: unknown): string {
  if (thrown instanceof StepError) return thrown.code;
  if (typeof thrown === 'string' && thrown !== '') return thrown;
  let at = thrown instanceof Foreign ? thrown : undefined;
  for (let asked = 0; at !== undefined && asked < 8; asked++, at = at.cause) {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(at.code ?? '')) return at.code!;
  }
  return 'InternalError';
}
