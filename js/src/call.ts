// The step that calls a method of a service.

import { type Failure, makeFailure } from './failures.js';
import { errors, type IAsyncSteps, type Step, StepError, step } from './index.js';
import { jsonOf, payloadIn } from './jobtext.js';
import { checkNames, mistake } from './redisoptions.js';
import type { ArgumentsOf, MethodOf, RedisService, ReplyOf } from './redisservice.js';
import type { Step as Running } from './step.js';

/** Of a `call`. */
export interface CallOptions {
  /**
   * The trace that the call is a part of, as W3C Trace Context writes it, or a function that is called when the step begins, such as
   * `traceparent` of `steptree/otel`. Default: none.
   */
  traceparent?: string | (() => string | undefined) | undefined;
}

/**
 * A step that calls a method of a service, in whatever process that is served, and leaves its reply. It's run once at most. If the step is cancelled, times out, or
 * its process dies, so is its flow over there, which has as much time as remains here. What fails there fails here, with code, info and causes; the
 * path goes on over there. What it can't be: `DefenseRejected`, so many calls wait; `UnknownMethod`; `InvalidCall`, the arguments are none
 * for the method; `RedisFailed`, Redis doesn't take it. `CallLost`: its server has gone, or Redis, and whether it was run isn't known. It waits for a server
 * as long as its flow does: give it a timeout. What JSON can't say and bad options: `InternalError`, at the call. Guide: docs/calls.md
 *
 *     const quoted = call(books, 'quote', ['978', 2]).timeout(500);
 */
export function call<S, M extends MethodOf<S>>(
  service: RedisService<S>,
  method: M,
  args: ArgumentsOf<S, M>,
  options: CallOptions = {},
): Step<any, ReplyOf<S, M>> {
  if (typeof service?.caller?.ask !== 'function') throw mistake('call: expected a RedisService');
  if (typeof method !== 'string' || method === '') throw mistake('call: expected a method');
  if (!Array.isArray(args)) throw mistake('call: expected a list of arguments');
  const text = jsonOf('call', args, service.limits);
  const { traceparent } = checkNames('call', options, 'traceparent');
  const traced = typeof traceparent === 'function' ? traceparent : () => traceparent;
  traceIn(typeof traceparent === 'function' ? undefined : traceparent);
  const body = (asi: IAsyncSteps): void => {
    const done = asi.waitExternal();
    const fail = (failures: readonly Failure[]) => {
      const [{ code, info }, ...causes] = failures as [Failure, ...Failure[]];
      if (done.error(code || errors.InternalError, info, causeOf(causes)))
        place((asi as Running).line.latch as StepError, failures[0]!);
    };
    const replied = (reply: string) => {
      try {
        if (reply === '') done.success();
        else done.success(payloadIn(reply, service.limits.maxDepth, 'the reply'));
      } catch (error) {
        fail([makeFailure(errors.InternalError, (error as Error).message)]);
      }
    };
    const { whyClosed } = service.connection;
    if (whyClosed !== '') return void fail([makeFailure(errors.Closed, whyClosed)]);
    const request = { method, args: text, left: asi.remaining(), traceparent: traceIn(traced()) };
    asi.setCancel(service.caller.ask(request, { replied, failed: fail }));
  };
  return step(body).named(`${service.name}.${method}`) as unknown as Step<any, ReplyOf<S, M>>;
}

/** It goes on where it was raised. */
function place(error: StepError, { path, retry_after }: Failure): void {
  if (path !== '') error.path = `${error.path}/${path}`;
  if (retry_after !== undefined) error.retry_after = retry_after;
}

function causeOf(causes: readonly Failure[]): StepError | undefined {
  return causes.reduceRight<StepError | undefined>((cause, { code, info, path }) => {
    const error = new StepError(code || errors.InternalError, info, cause);
    error.path = path;
    return error;
  }, undefined);
}

function traceIn(given: unknown): string {
  if (given === undefined) return '';
  if (typeof given === 'string' && isTrace(given)) return given;
  throw mistake(`call: traceparent: expected one of W3C, got ${String(given)}`);
}

/** Of whatever version. */
export function isTrace(text: string): boolean {
  return (
    /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-[\x21-\x7e]*)?$/.test(
      text,
    ) && text.length <= 512
  );
}
