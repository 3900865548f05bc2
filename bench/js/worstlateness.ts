/** Sets timers of 1 ms, one after the other; nanoseconds that the latest one was late. */
export function worstLateness(timers: number): Promise<number> {
  return new Promise((resolve) => {
    let left = timers;
    let worst = 0;
    const arm = () => {
      const due = performance.now() + 1;
      setTimeout(() => {
        worst = Math.max(worst, performance.now() - due);
        if (--left === 0) resolve(worst * 1e6);
        else arm();
      }, 1);
    };
    arm();
  });
}
