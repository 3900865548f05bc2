/* global describe, it, expect, jest */
const { AsyncSteps, errors, VirtualTool } = require('steptree');
const { offload } = require('steptree/pool');

describe('a user of Jest', () => {
  it('runs flows', async () => {
    const flow = new AsyncSteps();
    flow.add(offload({ run: async (task) => task * 2 }, 21));
    expect(await flow.promise()).toBe(42);
  });

  it('sees errors by their codes', async () => {
    const flow = new AsyncSteps();
    flow.add((asi) => asi.error('Mine', 'info'));
    await expect(flow.promise()).rejects.toMatchObject({ code: 'Mine', info: 'info' });
  });

  it('decides how time goes', async () => {
    const tool = new VirtualTool();
    const flow = new AsyncSteps({ tool });
    flow.add((asi) => asi.setTimeout(1000));
    const told = jest.fn();
    flow.execute(told);
    await tool.run();
    expect(told).toHaveBeenCalledWith(expect.objectContaining({ code: errors.Timeout }));
  });
});
