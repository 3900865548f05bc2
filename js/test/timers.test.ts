import { expect } from 'chai';
import fc from 'fast-check';
import { AsyncTool } from '../src/index.js';
import { type Timer, TimerHeap } from '../src/timers.js';

class Plain implements Timer {
  due = 0;
  order = 0;
  place = -1;
  fire(): void {}
}

/** Takes all timers out in order. */
function drain(heap: TimerHeap): Timer[] {
  const order: Timer[] = [];
  for (let timer = heap.first(); timer !== undefined; timer = heap.first()) {
    heap.remove(timer);
    order.push(timer);
  }
  return order;
}

describe('TimerHeap', () => {
  it('timers come out by due time, then by order of arming, whatever was taken out before', () => {
    const action = fc.record({ due: fc.nat(20), take: fc.option(fc.nat(50)) });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const heap = new TimerHeap();
        const armed: Timer[] = [];
        for (const { due, take } of actions) {
          const timer = new Plain();
          heap.push(timer, due);
          armed.push(timer);
          if (take !== null && take < armed.length) heap.remove(armed.splice(take, 1)[0]!);
        }
        const expected = armed.sort((a, b) => a.due - b.due || a.order - b.order);
        expect(drain(heap)).to.deep.equal(expected);
        expect(heap.size).to.equal(0);
      }),
    );
  });

  it('one that is due before its parent rises, though not before its aunt', () => {
    const few = [1, 2, 10, 3, 20, 30, 4];
    for (const dues of [few, [...few, 40, 50, 60]]) {
      const heap = new TimerHeap();
      for (const due of dues) heap.push(new Plain(), due);
      expect(drain(heap).map(({ due }) => due)).to.deep.equal(dues.sort((a, b) => a - b));
    }
  });

  it('a million timers are armed and cancelled', () => {
    const tool = new AsyncTool();
    const handles = [];
    for (let i = 0; i < 1_000_000; i++) {
      handles.push(tool.deferred(1000 + ((i * 7919) % 1000), () => {}));
    }
    for (const handle of handles) handle.cancel();
    expect(handles.some((handle) => handle.valid())).to.equal(false);
  }).timeout(20_000);
});
