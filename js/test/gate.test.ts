import { expect } from 'chai';
import { AsyncSteps, Barrier, Gate } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

describe('Gate and Barrier', () => {
  it('a bad option of a gate or a barrier throws to the caller', () => {
    const bad: [() => unknown, string][] = [
      [() => new Gate({ open: 1 as never }), 'Gate: open: expected true or false, got 1'],
      [
        () => new Gate({ closed: true } as never),
        "Gate: expected one of open maxQueue name, got 'closed'",
      ],
      [
        () => new Barrier({} as never),
        'Barrier: parties: expected a whole number from 1 to 2^53 - 1, got undefined',
      ],
      [() => new Gate().wait({} as never), 'wait: expected an accessor, got object'],
    ];
    for (const [make, info] of bad) {
      const error = thrownBy(make);
      expect(error.code).to.equal('InternalError');
      expect(error.info).to.contain(info);
    }
  });

  it('a refusal of a gate says its name', async () => {
    const { flow, run } = bench({ unhandled: () => {} });
    const gate = new Gate({ open: false, maxQueue: 0, name: 'ready' });
    flow.add((asi) => gate.wait(asi));
    const end: any = await run();
    expect(end.error.info).to.equal("gate 'ready': the queue is full");
    expect(gate.isOpen).to.equal(false);
  });

  it('a gate is one for any number of flows, 100,000 of which wait', async () => {
    const { tool } = bench();
    const gate = new Gate({ open: false });
    let passed = 0;
    for (let i = 0; i < 100_000; i++) {
      new AsyncSteps({ tool }).sync(gate, () => void passed++).execute();
    }
    await tool.run();
    expect([gate.waiting, passed]).to.deep.equal([100_000, 0]);
    gate.open();
    await tool.run();
    expect([gate.waiting, passed]).to.deep.equal([0, 100_000]);
  });
});
