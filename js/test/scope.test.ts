import { expect } from 'chai';
import {
  AsyncSteps,
  AsyncTool,
  defaultTool,
  delay,
  Scope,
  step,
  StepError,
  VirtualTool,
} from '../src/index.js';
import { thrownBy } from './bench.js';

const macrotask = () => new Promise((resolve) => setImmediate(resolve));

describe('start', () => {
  it('every tool starts a body or a step value, and owns the flow', async () => {
    const log: unknown[] = [];
    defaultTool.start((asi) => void asi.add(() => log.push('default')));
    new AsyncTool().start(step(() => log.push('async')));
    const virtual = new VirtualTool();
    virtual.start(step((_, n: number) => log.push(n)).with(7), {
      state: { mine: 1 },
      done: ({ kind }) => log.push(kind),
    });
    await macrotask();
    await virtual.run();
    expect(log).to.have.members(['default', 'async', 7, 'ok']);
  });

  it('an error that nobody hears of is unhandled', async () => {
    const tool = new VirtualTool();
    const codes: string[] = [];
    tool.start((asi) => asi.error('E'), { unhandled: (code) => codes.push(code) });
    await tool.run();
    expect(codes).to.deep.equal(['E']);
  });

  it('a bad argument is refused, and begins nothing', async () => {
    const tool = new VirtualTool();
    const scope = new Scope({ tool });
    const bad: any[] = [
      [undefined],
      [5],
      [() => {}, 5],
      [() => {}, { done: 5 }],
      [() => {}, { signal: 5 }],
      [() => {}, { burst: 0 }],
    ];
    for (const args of bad) {
      for (const owner of [tool, scope]) {
        const thrown: any = thrownBy(() => (owner.start as any)(...args));
        expect(thrown, JSON.stringify(args)).to.be.instanceOf(StepError);
        expect(thrown.code).to.equal('InternalError');
      }
    }
    expect(tool.last).to.equal(null);
    scope.start(() => {});
    await tool.run();
  });
});

describe('Scope', () => {
  it('bad arguments are refused, and leave it alone', async () => {
    const tool = new VirtualTool();
    const scope = new Scope({ tool });
    let ran = 0;
    for (const call of [
      () => new Scope(tool as any),
      () => new Scope({ tool: {} } as any),
      () => new Scope({ tool, unhandled: 5 } as any),
      () => new Scope(5 as any),
      () => scope.drain(Number.NaN),
      () => scope.drain('1' as any),
      () => scope.drain(1, 5 as any),
      () => scope.close(5 as any),
    ])
      expect(thrownBy(call)).to.be.instanceOf(StepError);
    scope.start(() => void ran++);
    await tool.run();
    expect(ran).to.equal(1);
  });

  it('await using closes it, and waits for what cleans up', async () => {
    const tool = new VirtualTool();
    const log: string[] = [];
    let closing: Promise<void> | undefined;
    {
      const scope = new Scope({ tool });
      scope.start((asi) => {
        asi.defer((own) => void own.add(delay(5)).add(() => log.push('late')));
        asi.waitExternal();
      });
      await tool.run();
      closing = scope[Symbol.asyncDispose]();
      void closing.then(() => log.push('closed'));
    }
    await tool.run();
    await closing;
    expect(log).to.deep.equal(['late', 'closed']);
  });

  it('is of the default tool, and belongs to the context of nobody', async () => {
    const scope = new Scope();
    let ends = '';
    scope.start((asi) => asi.waitExternal() && undefined, { done: ({ kind }) => (ends = kind) });
    await macrotask();
    await scope.close('enough');
    expect(ends).to.equal('cancelled');
    expect(new AsyncSteps().running()).to.equal(false);
  });

  it('its flows have its options, each but for what a start has itself', async () => {
    const tool = new VirtualTool();
    const log: string[] = [];
    const scope = new Scope({ tool, unhandled: (code) => log.push(`scope ${code}`) });
    const fails = step((asi, code: string) => asi.error(code));
    scope.start(fails.with('A'));
    scope.start(fails.with('B'), { grace: 5, unhandled: undefined });
    scope.start(fails.with('C'), { unhandled: (code) => log.push(`start ${code}`) });
    await tool.run();
    expect(log).to.deep.equal(['scope A', 'scope B', 'start C']);
  });

  it('ten thousand flows are closed at once', async () => {
    const tool = new VirtualTool();
    const scope = new Scope({ tool });
    let ended = 0;
    for (let i = 0; i < 10_000; i++)
      scope.start((asi) => void asi.waitExternal(), { done: () => ended++ });
    await tool.run();
    const closed = scope.close();
    await tool.run();
    await closed;
    expect([ended, tool.last]).to.deep.equal([10_000, null]);
  });
});
