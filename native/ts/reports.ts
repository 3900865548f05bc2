// What is no error of a flow, for the `report` hooks. Native code tells it inside of its tool, where nothing of the program may run: hooks
// hear of it when that has been left, in a microtask at the latest.

const reports: (() => void)[] = [];

export function reportLater(report: () => void): void {
  if (reports.push(report) === 1) queueMicrotask(reportNow);
}

/** Native code has been left. What a hook throws is uncaught, and harms no other one. */
export function reportNow(): void {
  for (const report of reports.splice(0)) {
    try {
      report();
    } catch (thrown) {
      queueMicrotask(() => {
        throw thrown;
      });
    }
  }
}
