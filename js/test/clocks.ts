import type { AsyncSteps } from '../src/index.js';

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** With a clock that stands still, but for what a test adds. */
export async function withClock(
  test: (clock: { time: number; readings: number }) => Promise<void>,
): Promise<void> {
  const { now } = performance;
  const clock = { time: now.call(performance), readings: 0 };
  performance.now = () => {
    clock.readings++;
    return clock.time;
  };
  try {
    await test(clock);
  } finally {
    performance.now = now;
  }
}

export function codeOf(flow: AsyncSteps): Promise<unknown> {
  return flow.promise().then(
    () => 'ok',
    (error: { code: string }) => error.code,
  );
}

export function spinFor(ms: number): void {
  const start = performance.now();
  while (performance.now() - start < ms);
}
