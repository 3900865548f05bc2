import { expect } from 'chai';
import fc from 'fast-check';
import { type QueueNode, RunQueue } from '../src/runqueue.js';
import { gc } from './gc.js';

const node = (): QueueNode => ({ slot: -1, turn() {} });

describe('RunQueue', () => {
  it('nodes come out in the order in which they went in, but for those taken out', () => {
    const action = fc.oneof(
      fc.constant('push' as const),
      fc.constant('shift' as const),
      fc.nat(200),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 400 }), (actions) => {
        const queue = new RunQueue();
        const model: QueueNode[] = [];
        for (const what of actions) {
          if (what === 'push') {
            const next = node();
            queue.push(next);
            model.push(next);
          } else if (what === 'shift') {
            expect(queue.shift()).to.equal(model.shift() ?? null);
          } else if (what < model.length) {
            queue.remove(model.splice(what, 1)[0]!);
          }
          if (queue.isEmpty()) expect(model.length).to.equal(0);
        }
        for (const expected of model) {
          const next = queue.shift()!;
          expect(next).to.equal(expected);
          expect(next.slot).to.equal(-1);
        }
      }),
    );
  });

  it('a pass takes what stood in the queue when it began', () => {
    const queue = new RunQueue();
    const [a, b, c] = [node(), node(), node()];
    queue.push(a);
    queue.push(b);
    const end = queue.tail;
    queue.remove(b);
    queue.push(c);
    queue.push(b);
    expect(queue.shift(end)).to.equal(a);
    expect(queue.shift(end)).to.equal(null);
    expect([queue.shift(), queue.shift()]).to.deep.equal([c, b]);
  });

  it('a queue that was long goes on when it has been empty', () => {
    const queue = new RunQueue();
    for (let round = 0; round < 3; round++) {
      const nodes = Array.from({ length: 10_000 }, node);
      for (const each of nodes) queue.push(each);
      for (const each of nodes) if (queue.shift() !== each) throw new Error('out of order');
      expect(queue.shift()).to.equal(null);
    }
  });

  it('the end of a pass in a long queue is not the end of the queue', () => {
    const queue = new RunQueue();
    const nodes = Array.from({ length: 10_000 }, node);
    for (const each of nodes.slice(0, 5000)) queue.push(each);
    const end = queue.tail;
    for (const each of nodes.slice(5000)) queue.push(each);
    const pass = Array.from({ length: 5000 }, () => queue.shift(end));
    expect(queue.shift(end)).to.equal(null);
    const rest = Array.from({ length: 5000 }, () => queue.shift());
    expect([...pass, ...rest].every((each, i) => each === nodes[i])).to.equal(true);
  });

  it('a queue takes the memory of what stands in it, not of what stood there', () => {
    const used = () => {
      gc();
      return process.memoryUsage().heapUsed;
    };
    const before = used();
    const queues = Array.from({ length: 10 }, () => new RunQueue());
    for (const queue of queues) {
      for (let i = 0; i < 100_000; i++) queue.push(node());
      while (queue.shift() !== null);
      for (let i = 0; i < 100_000; i++) {
        queue.push(node());
        queue.shift();
      }
    }
    expect(used() - before).to.be.lessThan(2 ** 20);
    expect(queues.every((queue) => queue.isEmpty())).to.equal(true);
  });
});
