// A queue at a database: who waits, and who has it
import { defaultTool, delay, Mutex, run, step, steps, sync } from 'steptree';

const database = new Mutex({ max: 2, maxQueue: 3, name: 'database' });

const order = (id: number) =>
  steps(
    delay(100).named('cart'),
    sync(
      database,
      steps(delay(800), () => `row ${id}`),
    ).named('query'),
    step((asi, row: string) => console.log(`order ${id} has ${row}`)).named('answer'),
  ).onError((asi, code) => console.log(`order ${id}: ${code}`));

const orders = [1, 2, 3, 4, 5, 6].map((id) => run(order(id), { tool: defaultTool }));
await Promise.allSettled(orders);
