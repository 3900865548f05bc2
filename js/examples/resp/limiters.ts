import { type IAsyncSteps, Limiter } from '../../src/index.js';
import type { Limits } from './limits.js';

/** undefined: there is no limit. */
export type MaybeLimiter = Limiter | undefined;

/** How often one client may command. His commands run one after another: there is nothing else to limit. */
export function clientLimiter(limits: Limits): MaybeLimiter {
  const { clientRate: rate, clientPeriodMs: period, clientQueue: maxQueue } = limits;
  return rate > 0 ? new Limiter({ rate, period, maxQueue }) : undefined;
}

/** How often all clients together may command, and how many commands run at a time. */
export function serverLimiter(limits: Limits): MaybeLimiter {
  const { serverConcurrent, serverQueue, serverRate, serverPeriodMs } = limits;
  if (serverConcurrent === 0 && serverRate === 0) return undefined;
  return new Limiter({
    concurrent: serverConcurrent || undefined,
    maxQueue: serverQueue,
    ...(serverRate > 0 && { rate: serverRate, period: serverPeriodMs }),
  });
}

/** Runs a body of the step as soon as the limiter, if there is one, lets it in. Code: `DefenseRejected`. */
export function within(
  asi: IAsyncSteps,
  limiter: MaybeLimiter,
  body: (asi: IAsyncSteps) => void,
): void {
  if (limiter) asi.sync(limiter, body);
  else body(asi);
}
