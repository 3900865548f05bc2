import { expect } from 'chai';
import { AsyncSteps, observe, StepError, VirtualTool } from 'steptree';
import type { Step } from '../../js/src/step.js';
import type { ToolCore } from '../../js/src/toolcore.js';
import {
  factsOf,
  type LineInside,
  type Settings,
  settingsOf,
  type StepInside,
  stepOf,
  type ToolInside,
} from '../ts/engine.js';

/** The compiler holds the runtime to it, as far as it isn't private there. */
type Is<T, _U extends T> = true;
const isTyped: [
  Is<StepInside, Omit<Step, 'line'> & { line: LineInside }>,
  Is<Omit<Settings, 'tool'>, AsyncSteps['settings']>,
  Is<Pick<ToolInside, 'now' | 'inside'>, ToolCore>,
] = [true, true, true];

describe('what the addon uses of the runtime', () => {
  it('are members that steps, tools, observers and errors have', async () => {
    expect(isTyped).to.deep.equal([true, true, true]);
    const tool = new VirtualTool();
    const flow = new AsyncSteps({ tool });
    const watching = observe(tool, () => {});
    let isSeen = false;
    flow.add(
      (asi) => {
        asi.setTimeout(5);
        const { line, options } = stepOf(asi);
        expect(stepOf(asi).toPath()).to.equal('page');
        expect(line.top).to.equal(asi);
        expect(options!.timer!.disarm).to.be.a('function');
        expect(settingsOf(asi)).to.include({ tool, grace: 5000 });
        expect(settingsOf(asi).report).to.be.a('function');
        const watch = line.flow.settings.tool.watching!;
        for (const name of ['openSteps', 'waits', 'enter', 'tell', 'turned'] as const)
          expect(watch[name], name).to.be.a('function');
        expect([watch.sinks, watch.turns]).to.satisfy((all: unknown[]) => all.every(Array.isArray));
        expect([watch.bodies, watch.stale]).to.deep.equal([false, false]);
        expect(watch.enter(asi)!.told).to.include({ path: 'page' });
        isSeen = true;
        asi.success();
      },
      undefined,
      'page',
    );
    flow.execute();
    await tool.run();
    watching.cancel();
    expect(isSeen).to.equal(true);
    expect(factsOf(new StepError('E'))).to.include.keys('origin', 'order', 'later');
  });
});
