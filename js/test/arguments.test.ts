import { expect } from 'chai';
import {
  AsyncSteps,
  AsyncTool,
  type IAsyncSteps,
  Mutex,
  Scope,
  VirtualTool,
  delay,
  map,
  hedge,
  retry,
  shield,
  race,
  any,
  all,
  run,
  steps,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';

describe('arguments', () => {
  const bad = undefined as never;
  const tool = new VirtualTool();
  const calls: [string, (asi: any) => unknown, string, string][] = [
    ['add', (asi) => asi.add(bad), 'a function', 'undefined'],
    ['add', (asi) => asi.add(5), 'a function as body, or a step', '5'],
    ['AsyncSteps', () => new AsyncSteps(tool as never), '{ tool }', 'object'],
    ['Scope', () => new Scope(tool as never), '{ tool }', 'object'],
    ['run', () => run(delay(1), tool as never), '{ tool }', 'object'],
    ['add', (asi) => asi.add(() => {}, 5), 'a function as error handler', '5'],
    ['name', (asi) => asi.add(() => {}, undefined, 5), 'a string', '5'],
    ['loop', (asi) => asi.loop('body'), 'a function', "'body'"],
    ['loop', (asi) => asi.loop(() => {}, 1), 'a string as label', '1'],
    ['repeat', (asi) => asi.repeat(3, {}), 'a function', 'object'],
    ['forEach', (asi) => asi.forEach([], null), 'a function', 'null'],
    ['parallel', (asi) => asi.parallel([]), 'a function', 'object'],
    ['await', (asi) => asi.await(5), 'a promise', '5'],
    ['map', () => map([], { limit: 1 }, 5 as never), 'a function', '5'],
    ['map', () => map([], bad, () => {}), 'options', 'undefined'],
    ['ordered', () => map([], { limit: 1, ordered: 0 as never }, () => {}), 'true or false', '0'],
    ['sink', () => map([], { limit: 1, sink: [] as never }, () => {}), 'a function', 'object'],
    ['retry: max', () => retry({ max: 0 }, () => {}), 'a whole number', '0'],
    ['hedge: after', () => hedge({ after: -1 }, () => {}), 'milliseconds', '-1'],
    ['hedge: max', () => hedge({ after: 1, max: 0 }, () => {}), 'a count of 1', '0'],
    ['map: limit', () => map([], { limit: 0 }, () => {}), 'a whole number', '0'],
    ['run', () => run(5 as never), 'a function as body, or a step', '5'],
    ['steps: part 2', () => (steps as any)(() => {}, []), 'a function', 'object'],
    ['all: part 1', () => all(Promise.resolve() as never), 'a function', 'object'],
    ['sync', (asi) => asi.sync({}, () => {}), 'lock and unlock', 'object'],
    ['sync', (asi) => asi.sync(new Mutex(), 'body'), 'a function', "'body'"],
    ['shield', () => shield(5, null as never), 'a function', 'null'],
    ['retry', () => retry({ max: 1 }, {} as never), 'a function', 'object'],
  ];

  it('an accessor whose steps run says so', async () => {
    const { flow, run: start } = bench();
    const infos: string[] = [];
    flow.add((outer) => {
      outer.add(() => {
        infos.push(thrownBy(() => outer.success()).info);
      });
      setImmediate(() => infos.push(thrownBy(() => outer.error('E')).info));
    });
    await start();
    await new Promise((resolve) => setImmediate(resolve));
    expect(infos).to.deep.equal([
      'success: the accessor is not valid while its steps run: use theirs',
      'error: the accessor is not valid',
    ]);
  });

  it('a body that is no function throws InternalError to the caller', () => {
    const flow = new AsyncSteps();
    for (const body of [undefined, null, 5, 'body', {}, []]) {
      expect(thrownBy(() => flow.add(body as never)).code).to.equal('InternalError');
      expect(thrownBy(() => flow.loop(body as never)).code).to.equal('InternalError');
    }
  });

  it('the info of a bad argument names what was expected and what came', async () => {
    const { flow, run: start } = bench();
    const check = (asi: any) => {
      for (const [call, act, expected, actual] of calls) {
        const { code, info } = thrownBy(() => act(asi));
        expect(code).to.equal('InternalError');
        expect(info).to.contain(call).and.contain(expected).and.contain(actual);
      }
    };
    check(flow);
    flow.add(check);
    expect(await start()).to.deep.equal({ kind: 'ok', values: [] });
  });

  it('bad arguments on a running step change nothing', async () => {
    const { flow, run } = bench();
    const misuse: ((asi: any) => unknown)[] = [
      (asi) => asi.setTimeout(Number.NaN),
      (asi) => asi.setTimeout(-1),
      (asi) => asi.setTimeout('5'),
      (asi) => asi.setCancel(5),
      (asi) => asi.break(5),
      (asi) => asi.error('Code', 5),
    ];
    flow.add((asi) => {
      for (const act of misuse) expect(thrownBy(() => act(asi)).code).to.equal('InternalError');
    });
    expect((await run())?.kind).to.equal('ok');
  });

  it('an error in the place of the info is the cause of the mistake', async () => {
    const { flow, run } = bench();
    const orig = new Error('orig');
    let thrown: any;
    flow.add((asi) => {
      thrown = thrownBy(() => asi.error('Db', orig as never));
    });
    await run();
    expect([thrown.code, thrown.cause]).to.deep.equal(['InternalError', orig]);
    for (const code of ['', 5]) {
      const other = bench();
      other.flow.add((asi) => asi.error(code as never));
      expect((await other.run())?.error).not.to.have.property('cause');
    }
  });

  it('an empty code is no code', async () => {
    for (const code of ['', undefined, 5, null]) {
      const { flow, run } = bench();
      flow.add((asi) => asi.error(code as never));
      expect((await run())?.code).to.equal('InternalError');
    }
  });

  it('options of a flow are checked', () => {
    const options: any[] = [
      { burst: 0 },
      { burst: 1.5 },
      { burst: 'x' },
      { tool: {} },
      { state: 5 },
    ];
    for (const wrong of [...options, { unhandled: 1 }, { report: {} }]) {
      expect(thrownBy(() => new AsyncSteps(wrong)).code).to.equal('InternalError');
    }
  });

  it('done and the reason of a cancel are checked', () => {
    const flow = new AsyncSteps({ tool: new VirtualTool() });
    expect(thrownBy(() => flow.execute(5 as never)).code).to.equal('InternalError');
    expect(thrownBy(() => flow.cancel(5 as never)).code).to.equal('InternalError');
    expect(flow.running()).to.equal(false);
  });

  it('tools check what they are to call and when', () => {
    for (const tool of [new AsyncTool(), new VirtualTool()]) {
      expect(thrownBy(() => tool.immediate(5 as never)).code).to.equal('InternalError');
      expect(thrownBy(() => tool.deferred(1, 'x' as never)).code).to.equal('InternalError');
      for (const ms of [-1, Number.NaN, '1' as never]) {
        expect(thrownBy(() => tool.deferred(ms, () => {})).code).to.equal('InternalError');
      }
    }
  });

  it('a call on a stale accessor throws InternalError to its caller and harms nobody', async () => {
    const { flow, run } = bench();
    let stale!: IAsyncSteps;
    flow.add((asi) => {
      stale = asi;
      asi.state['kept'] = 1;
    });
    flow.add((asi) => {
      const every: (() => unknown)[] = [
        () => stale.add(() => {}),
        () => stale.success(),
        () => stale.error('E'),
        () => stale.errorNoThrow('E'),
        () => stale.break(),
        () => stale.continueNoThrow(),
        () => stale.setTimeout(1),
        () => stale.setCancel(() => {}),
        () => stale.waitExternal(),
        () => stale.newInstance(),
        () => stale.parallel(),
        () => stale.relinquish(),
        () => stale.await(Promise.resolve()),
        () => stale.loop(() => {}),
        () => stale.repeat(1, () => {}),
        () => stale.forEach([], () => {}),
        () => stale.add(map([], { limit: 1 }, () => {})),
        () => stale.add(race(() => {})),
        () => stale.add(any(() => {})),
        () => stale.sync(new Mutex(), () => {}),
        () => stale.add(shield(1, () => {})),
        () => stale.add(delay(1)),
        () => stale.add(retry({ max: 1 }, () => {})),
        () => stale.successStep(1),
        () => stale.defer(() => {}),
        () => stale.remaining(),
      ];
      for (const call of every) expect(thrownBy(call).code).to.equal('InternalError');
      expect(stale.valid()).to.equal(false);
      expect(stale.state['kept']).to.equal(1);
      asi.success('fine');
    });
    expect((await run())?.values).to.deep.equal(['fine']);
  });

  it('a mistake carries a native stack that leads to its line', () => {
    const { stack } = thrownBy(() => new AsyncSteps().add(5 as never));
    expect(stack).to.contain('arguments.test');
  });
});
