/** Reads from the output of a command how many of its tests passed and failed. */

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

export type Counter = (output: string, exitCode: number) => Counts;

/** A command that is one check by itself. */
export const check: Counter = (_output, exitCode) =>
  exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };

/** Tests that are left out count as failed: none may be. */
export const mocha = believing((output) => ({
  passed: sum(output, /^ *(\d+) passing\b/gm),
  failed: sum(output, /^ *(\d+) (?:failing|pending)\b/gm),
}));

/** Tests of ctest; where it shows the summary of a Catch2 program, that program's test cases in its place. */
export const ctest = believing((output) => {
  const failed = sum(output, /\d+% tests passed, (\d+) tests? failed/g);
  const passed = sum(output, /tests? failed out of (\d+)/g) - failed;
  const good = [...output.matchAll(/All tests passed \(\d+ assertions? in (\d+) test cases?\)/g)];
  const bad = [...output.matchAll(/^(?:\d+: )?test cases: +(\d+) \|.*?(\d+) failed/gm)];
  const cases = [...good, ...bad].reduce((total, match) => total + Number(match[1]), 0);
  const wrong = bad.reduce((total, match) => total + Number(match[2]), 0);
  return {
    passed: passed - good.length + cases - wrong,
    failed: failed - bad.length + wrong,
  };
});

/** The last lines of the conformance runner's table: the cases that aren't for it; all, then those that each implementation passed. */
export const conformance = believing((output) => {
  const [cases = 0, ...passes] = rowOf(output, 'all');
  const [unfit, passed] = [rowOf(output, 'unfit'), passes].map((row) =>
    row.reduce((total, count) => total + count, 0),
  ) as [number, number];
  return { passed, failed: cases * passes.length - unfit - passed };
});

/** The last line of pytest. */
export const pytest = believing((output) => ({
  passed: sum(output, /^.*?\b(\d+) passed\b.* in [\d.]+s/gm),
  failed:
    sum(output, /^.*?\b(\d+) failed\b.* in [\d.]+s/gm) +
    sum(output, /^.*?\b(\d+) (?:errors?|skipped|xfailed)\b.* in [\d.]+s/gm),
}));

/** A summary for each program, those left out as failed. */
export const cargo = believing((output) => ({
  passed: sum(output, /^test result: .*? (\d+) passed/gm),
  failed: sum(output, /^test result: .*?(\d+) failed/gm) + sum(output, /(\d+) ignored/gm),
}));

/** Lines that say how many passed and failed of one implementation each. */
export const implementations = believing((output) => ({
  passed: sum(output, /^.+: (\d+) passed, \d+ failed$/gm),
  failed: sum(output, /^.+: \d+ passed, (\d+) failed$/gm),
}));

function rowOf(output: string, title: string): number[] {
  const cells = new RegExp(`^${title}((?: +\\d+)+)$`, 'm').exec(output)?.[1] ?? '';
  return cells.trim().split(/ +/).map(Number);
}

/** What a summary says is believed as far as the exit code agrees, and if any test ran. */
function believing(read: (output: string) => Counts): Counter {
  return (output, exitCode) => {
    const { passed, failed } = read(output);
    const doubtful = exitCode !== 0 || passed + failed === 0;
    return { passed, failed: failed === 0 && doubtful ? 1 : failed };
  };
}

function sum(output: string, pattern: RegExp): number {
  return [...output.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);
}
