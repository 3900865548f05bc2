/** Milliseconds that the process has worked: while it does, but not while others have its CPU. */
function worked(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Sets timers of 1 ms, one after the other; nanoseconds that the latest one was late. A loop that never rests works all the
 * time: where it has worked for less than has passed, other processes had the CPU, which is no fault of the loop.
 */
export function worstLateness(timers: number): Promise<number> {
  return new Promise((resolve) => {
    let left = timers;
    let worst = 0;
    const arm = () => {
      const armed = performance.now();
      const before = worked();
      setTimeout(() => {
        const passed = Math.min(performance.now() - armed, worked() - before);
        worst = Math.max(worst, passed - 1);
        if (--left === 0) resolve(worst * 1e6);
        else arm();
      }, 1);
    };
    arm();
  });
}
