import { expect } from 'chai';
import { AsyncSteps, step, type Step } from 'steptree';
import { counts, load, type Plugin } from '../ts/index.js';
import { builtPlugin, type Tried } from './plugin.js';

const RUNS = 20_000;
const BATCHES = 15;

/** Nanoseconds a run. */
function batch(part: Step): Promise<number> {
  const flow = new AsyncSteps();
  flow.repeat(RUNS, (asi) => asi.add(part));
  const begin = performance.now();
  return new Promise((done, failed) =>
    flow.execute(({ kind, error }) => {
      if (kind === 'ok') done(((performance.now() - begin) * 1e6) / RUNS);
      else failed(error);
    }),
  );
}

/** Medians: batches of all take turns, so that all find the machine the same. */
async function costs(...parts: Step[]): Promise<number[]> {
  const times = parts.map((): number[] => []);
  for (let i = 0; i < BATCHES; i++)
    for (const [at, part] of parts.entries()) times[at]!.push(await batch(part));
  return times.map((of) => of.sort((a, b) => a - b)[BATCHES >> 1]!);
}

describe('what native steps cost', function () {
  this.timeout(120_000);
  let plugin: Plugin<Tried>;
  before(async () => {
    plugin = await load<Tried>(builtPlugin());
  });

  it('one that ends at once wakes nobody', async () => {
    const { wakes } = counts();
    await batch(plugin.step('echo', 1));
    expect(counts().wakes).to.equal(wakes);
  });

  it("one that ends at once is 12 of JavaScript's at most, a step inside of it 2", async () => {
    const js = step((asi) => asi.success(1));
    const [own, none, ten] = await costs(js, plugin.step('chain', 0), plugin.step('chain', 10));
    console.log(
      `    JavaScript's ${own!.toFixed()} ns, native ${none!.toFixed()} ns, with 10 inside ${ten!.toFixed()} ns`,
    );
    expect(none! / own!).to.be.below(12);
    expect((ten! - none!) / 10 / own!).to.be.below(2);
  });
});
