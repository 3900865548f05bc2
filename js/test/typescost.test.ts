// What it costs the compiler to follow values through steps, in instantiations of types: they don't depend on the machine.

import { expect } from 'chai';
import { compiled } from './compiled.js';

/** Of a program with so many steps, each inside of the one before. */
function costOf(depth: number): number {
  const nested = '(_asi, n) => n + 1, steps('.repeat(depth - 1);
  const said = compiled(
    `import { run, steps } from 'steptree';
    export const sum: Promise<number> =
      run(steps(() => 5, steps(${nested}(_asi, n) => n${')'.repeat(depth - 1)})));`,
    '--extendedDiagnostics',
  );
  expect(said).not.to.include('error');
  return Number(/Instantiations: +(\d+)/.exec(said)![1]);
}

describe('types of step values', function () {
  this.timeout(120_000);

  it('300 nested steps cost at most ten times as much as 30', () => {
    const without = costOf(1);
    expect(costOf(300) - without).to.be.below(10.5 * (costOf(30) - without));
  });
});
