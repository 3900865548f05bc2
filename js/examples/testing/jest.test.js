import { expect, test } from '@jest/globals';
import { run, VirtualTool } from 'steptree';
import { stubborn } from './stubborn.js';

test('asks again after 100 ms, and then after 200 ms', async () => {
  const tool = new VirtualTool();
  const asked = [];
  const ask = (asi) => {
    asked.push(tool.now());
    if (asked.length < 3) asi.error('ECONNREFUSED');
    return 'hello';
  };

  const answer = run(stubborn(ask), { tool });
  await tool.advance(300);

  expect(await answer).toBe('hello');
  expect(asked).toEqual([0, 100, 300]);
  expect(tool.armedTimers()).toBe(0); // the deadline of 5 s is gone
});
