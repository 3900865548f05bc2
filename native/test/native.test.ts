import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import {
  AsyncSteps,
  defaultTool,
  type IFlow,
  type IOutcome,
  Mutex,
  parallel,
  run,
  snapshot,
  snapshotText,
  StepError,
  steps,
  type Step,
  sync,
  VirtualTool,
} from 'steptree';
import * as all from '../ts/index.js';
import { counts, list, load, type Plugin, useTool } from '../ts/index.js';
import { builtPlugin, type Tried } from './plugin.js';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

describe('native steps', () => {
  let plugin: Plugin<Tried>;
  const outcomeOf = (flow: IFlow) => new Promise<IOutcome>((done) => flow.execute(done));
  const valuesOf = async (...parts: Step[]) => {
    const flow = new AsyncSteps();
    for (const part of parts) flow.add(part);
    const { error, values } = await outcomeOf(flow);
    if (error !== undefined) throw error;
    return values;
  };
  const errorOf = async (step: Step): Promise<any> =>
    (await outcomeOf(new AsyncSteps().add(step))).error;
  const seen = async () => (await valuesOf(plugin.step('seen')))!;

  let path: string;
  before(async () => {
    path = builtPlugin();
    plugin = await load<Tried>(path);
  });
  afterEach(async () => {
    await collected();
    expect(counts()).to.include({ calls: 0, waiting: 0, lent: 0 });
  });

  it('a plug-in says what it can', () => {
    expect([plugin.name, plugin.version]).to.deep.equal(['tried', '1.0']);
    expect(plugin.handlers[0]).to.deep.equal({
      name: 'echo',
      description: 'leaves what it got',
      least: 0,
      most: 4,
    });
    expect(list().map(({ name, phase }) => `${name} ${phase}`)).to.deep.equal(['tried serves']);
  });

  it('what is no plug-in is refused, with its path and the reason', async () => {
    const refused = await load('/nowhere.so').catch((error) => error);
    expect(refused).to.be.instanceOf(StepError);
    expect(refused.code).to.equal('PluginRefused');
    expect(refused.info).to.match(/^\/nowhere\.so: /);
    expect((await load(5 as any).catch((error) => error)).info).to.equal(
      'load: expected a path, got number',
    );
  });

  it('a step is refused where it is described', () => {
    expect(() => plugin.step('nobody' as 'echo')).to.throw(
      'tried has no handler "nobody", but echo, chain',
    );
    expect(() => (plugin as Plugin).step('chain', 1, 2)).to.throw(
      'tried.chain: expected 1 values, got 2',
    );
  });

  it('a number of values that it does not take is an error of the step', async () => {
    const error = await errorOf(plugin.step('chain'));
    expect([error.code, error.info, error.path]).to.deep.equal([
      'InternalError',
      'tried.chain: expected 1 values, got 0',
      'tried.chain',
    ]);
  });

  const same: unknown[] = [
    true,
    false,
    null,
    0,
    -0,
    7,
    -7.5,
    NaN,
    Infinity,
    Number.MAX_SAFE_INTEGER,
    2 ** 60 + 0.0,
    2n ** 62n,
    -(2n ** 63n),
    '',
    'Ada 😀 \0 end',
    'x'.repeat(300),
    'ä'.repeat(128),
    [],
    [1, 'two', [3, [null]]],
    {},
    { a: 1, b: { c: ['d'] }, 7: 8 },
    JSON.parse('{"__proto__":{"x":1}}'),
    Buffer.from('bytes'),
    Buffer.alloc(0),
    [Buffer.from([1, 2]), { in: Buffer.from([3]) }],
  ];
  for (const value of same)
    it(`${typeof value} comes back as it was: ${String(JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v))).slice(0, 40)}`, async () => {
      const values = (await valuesOf(plugin.step('echo', value)))!;
      if (value === 2 ** 60) expect(values).to.deep.equal([value]);
      else expect(values).to.deep.equal([value]);
      expect(Object.is(values[0], -0)).to.equal(Object.is(value, -0));
    });

  it('up to 4 values go through, and none', async () => {
    expect(await valuesOf(plugin.step('echo', 1, 'b', null, false))).to.deep.equal([
      1,
      'b',
      null,
      false,
    ]);
    expect(await valuesOf(plugin.step('echo'))).to.deep.equal([]);
  });

  it('a step without values of its own gets what it finds', async () => {
    expect(await run(steps(() => 'Ada', plugin.step('echo')))).to.equal('Ada');
  });

  it('what native code can not have is refused', async () => {
    for (const [value, what] of [
      [() => 1, 'a function'],
      [Symbol('s'), 'a symbol'],
      [new Map([[1, 2]]), 'an object that has no names of its own, such as a Map or a Date'],
      [{ at: new Date() }, 'an object that has no names of its own, such as a Map or a Date'],
      [[Promise.resolve()], 'an object that has no names of its own, such as a Map or a Date'],
      [2n ** 63n, 'a bigint of more than 64 bits'],
    ] as const) {
      const error = await errorOf(plugin.step('echo', value));
      expect([error.code, error.info]).to.deep.equal([
        'InternalError',
        `a native step can't have ${what}`,
      ]);
    }
    let deep: unknown[] = [];
    for (let i = 0; i < 300; i++) deep = [deep];
    expect((await errorOf(plugin.step('echo', deep))).info).to.match(/nested deeper than 256/);
    const round: unknown[] = [];
    round.push(round);
    expect((await errorOf(plugin.step('echo', round))).info).to.match(/nested deeper than 256/);
  });

  it("what a getter of a value throws is the step's error", async () => {
    const hostile = {
      get a() {
        throw new RangeError('no');
      },
    };
    const error = await errorOf(plugin.step('echo', hostile));
    expect(error).to.be.instanceOf(RangeError);
  });

  it('bytes are the same on both sides', async () => {
    const bytes = new Uint8Array(100_000).fill(3);
    const [first, size, sum] = (await valuesOf(plugin.step('look', bytes)))! as number[];
    const [again] = (await valuesOf(plugin.step('look', bytes.subarray(0, 1))))! as number[];
    expect([size, sum, again]).to.deep.equal([100_000, 300_000, first]);
    const [back] = (await valuesOf(plugin.step('echo', bytes)))! as [Buffer];
    back[5] = 200;
    expect(bytes[5]).to.equal(200);
    const [words] = (await valuesOf(plugin.step('look', new Uint16Array([256, 1]) as any)))!.slice(
      2,
    );
    expect(words).to.equal(2);
  });

  it('native values keep bytes of JavaScript, until they go', async () => {
    await valuesOf(plugin.step('keep', Buffer.alloc(50_000, 7)));
    expect(counts().lent).to.equal(1);
    collect();
    const [, , sum] = (await valuesOf(plugin.step('kept'), plugin.step('look')))! as number[];
    expect(sum).to.equal(350_000);
    await valuesOf(plugin.step('letGo'));
  });

  it('an opaque value goes back as it was, and is dropped', async () => {
    const before = (await seen())[2] as number;
    let [thing] = (await valuesOf(plugin.step('makeThing')))!;
    expect(await valuesOf(plugin.step('useThing', thing as object))).to.deep.equal([42]);
    expect((await errorOf(plugin.step('useThing', {}))).code).to.equal('NoThing');
    thing = undefined;
    for (let i = 0; i < 50 && (await seen())[2] === before; i++) await garbage();
    expect((await seen())[2]).to.equal(before + 1);
  });

  it('errors have code, info, the joined path and their causes', async () => {
    const page = new AsyncSteps();
    page.add((asi) => asi.add(plugin.step('fail')), undefined, 'page');
    const { error } = (await outcomeOf(page)) as { error: any };
    expect(error).to.be.instanceOf(StepError);
    expect([error.code, error.info]).to.deep.equal(['NotFound', 'no Ada']);
    expect(error.path).to.equal('page/tried.fail/outer/inner');
    expect(error.cause).to.be.instanceOf(Error);
    expect(error.cause.code).to.equal('ECONNREFUSED');
    expect(StepError.of(error)?.path).to.equal('page/tried.fail/outer/inner');
  });

  it('handlers of JavaScript recover from errors of native steps', async () => {
    const careful = plugin
      .step('fail')
      .onError<[string]>((asi, code) => asi.success(`got ${code}`));
    expect(await run(careful as any)).to.equal('got NotFound');
  });

  it('handlers and hooks see the joined path, also of what fails later', async () => {
    const paths: unknown[] = [];
    const careful = (wait: Step) =>
      steps(wait, plugin.step('fail'))
        .named('page')
        .onError<any>((asi) => {
          paths.push(asi.state.async_stack);
          asi.success();
        });
    await valuesOf(careful(plugin.step('echo')), careful(plugin.step('delay', 1)));
    const joined = 'page/tried.fail/outer/inner';
    expect(paths).to.deep.equal([joined, joined]);
  });

  it('what native cancel handlers fail with is reported before handlers of JavaScript run', async () => {
    const told: string[] = [];
    const report = (code: string, info: string, _: unknown, path: string) =>
      void told.push(`${path} ${code}: ${info}`);
    const flow = new AsyncSteps({ report });
    flow.add(
      (asi) => void asi.add(plugin.step('spoils').timeout(5)),
      (asi, code) => {
        told.push(code);
        asi.success();
      },
      'page',
    );
    await outcomeOf(flow);
    expect(told).to.deep.equal(['page/tried.spoils Spoiled: by C', 'Timeout']);
  });

  it('a flow whose step has called last is not kept', async () => {
    const called = async () => {
      const flow = new AsyncSteps().add(plugin.step('echo', 1));
      await outcomeOf(flow);
      return new WeakRef(flow);
    };
    const flow = await called();
    for (let i = 0; i < 50 && flow.deref() !== undefined; i++) await garbage();
    expect(flow.deref()).to.equal(undefined);
  });

  it('native steps that are closed keep no place in guards', async () => {
    const mutex = new Mutex();
    const closed = sync(mutex, plugin.step('forever'));
    const limited = sync(mutex, plugin.step('delay', 1000)).timeout(5);
    const flow = new AsyncSteps();
    flow.add(closed);
    const ended = outcomeOf(flow);
    await new Promise(setImmediate);
    flow.cancel();
    await ended;
    expect((await errorOf(limited)).code).to.equal('Timeout');
    await new Promise(setImmediate);
    expect(mutex.active).to.equal(0);
    expect(defaultTool.armedTimers()).to.equal(0);
  });

  it('the tool of a test comes before plug-ins', () => {
    expect(() => useTool(new VirtualTool())).to.throw(
      'useTool: expected no plug-in to be loaded yet',
    );
  });

  it('steptree/native has all of it', () => {
    const found = readFileSync(new URL('../found.ts', import.meta.url), 'utf8');
    const names = /export const \{ (.*) \}/.exec(found)![1]!.split(', ');
    expect(names).to.have.members(Object.keys(all));
  });

  it('a native timer ends its step', async () => {
    expect(await valuesOf(plugin.step('delay', 5))).to.deep.equal([]);
  });

  it('a thread ends its step, with what it has', async () => {
    const value = { list: [1, 2], bytes: Buffer.from('abc') };
    expect(await valuesOf(plugin.step('threaded', value))).to.deep.equal([value]);
  });

  it('a timeout of JavaScript closes native steps first', async () => {
    const open: number[] = [];
    const flow = new AsyncSteps();
    flow.add(
      (asi) => {
        asi.setTimeout(50);
        asi.setCancel(() => void open.push(counts().calls));
        asi.add(plugin.step('forever'));
      },
      undefined,
      'page',
    );
    const { error } = (await outcomeOf(flow)) as { error: any };
    expect([error.code, error.path]).to.deep.equal(['Timeout', 'page']);
    expect(open).to.deep.equal([0]);
  });

  it('a cancel has called native cancel handlers when it returns', async () => {
    const [before] = await seen();
    const flow = new AsyncSteps();
    flow.add(plugin.step('forever'));
    const ended = outcomeOf(flow);
    await new Promise(setImmediate);
    flow.cancel('enough');
    expect(counts()).to.include({ calls: 0, waiting: 0, lent: 0 });
    expect((await ended).kind).to.equal('cancelled');
    expect((await seen())[0]).to.equal((before as number) + 1);
  });

  it('a cleanup of native steps is waited for', async () => {
    const [, before] = await seen();
    const flow = new AsyncSteps();
    flow.add(plugin.step('cleans', 10));
    const ended = outcomeOf(flow);
    await new Promise(setImmediate);
    flow.cancel();
    expect(counts().calls).to.equal(1);
    expect((await ended).kind).to.equal('cancelled');
    await flow.closed();
    expect((await seen())[1]).to.equal((before as number) + 1);
  });

  it('a failed sibling cancels native steps', async () => {
    const [before] = await seen();
    const both = parallel(plugin.step('forever'), plugin.step('fail'));
    expect((await errorOf(both)).path).to.equal('0/|tried.fail/outer/inner');
    expect((await seen())[0]).to.equal((before as number) + 1);
  });

  it("native steps see JavaScript's deadlines", async () => {
    const [ms] = (await valuesOf(plugin.step('remaining').timeout(1e6)))! as number[];
    expect(ms).to.be.within(9e5, 1e6 + 1);
    const [none] = (await valuesOf(plugin.step('remaining')))! as unknown[];
    expect(none).to.equal(2n ** 63n - 1n);
  });

  it('a deadline that is over raises Timeout where it was set', async () => {
    const limited = steps(
      plugin.step('delay', 10_000).onError<[string]>((asi) => asi.success('inside')),
    )
      .named('limited')
      .timeout(3);
    const error = await errorOf(limited);
    expect([error.code, error.path]).to.deep.equal(['Timeout', 'limited']);
  });

  it('a snapshot shows one tree', async () => {
    const flow = new AsyncSteps({ name: 'page' });
    flow.add((asi) => asi.add(plugin.step('forever')).add(() => {}), undefined, 'outside');
    const ended = outcomeOf(flow);
    await new Promise(setImmediate);
    const { line } = snapshot(flow);
    expect(line).to.deep.equal({
      steps: [
        { element: 'outside', kind: 'step' },
        { element: 'tried.forever', kind: 'step' },
        { element: 'waits', kind: 'step' },
      ],
      waits: { for: 'success' },
      lines: [],
    });
    expect(snapshotText(snapshot(flow))).to.match(/outside\/tried\.forever\/waits step: waits for/);
    flow.cancel();
    await ended;
  });

  it('who holds a guard is in a snapshot where its line is', async () => {
    const flow = new AsyncSteps().add(sync(new Mutex({ name: 'db' }), plugin.step('forever')));
    const ended = outcomeOf(flow);
    await new Promise(setImmediate);
    const { flows, guards } = snapshot(defaultTool);
    const { id, line } = flows.find(({ line }) => line?.steps.at(-1)?.element === 'waits')!;
    const path = line!.steps.map(({ element }) => element).join('/');
    expect(guards.map(({ name, holders }) => ({ name, holders }))).to.deep.equal([
      { name: 'db', holders: [{ flow: id, path }] },
    ]);
    flow.cancel();
    await ended;
  });

  it('many calls at once end each with its own', async () => {
    const flow = new AsyncSteps();
    const all: unknown[] = [];
    const branches = flow.parallel();
    for (let i = 0; i < 100; i++)
      branches.add(
        steps(plugin.step(i % 2 ? 'threaded' : 'echo', i), (_, value) => void all.push(value)),
      );
    expect((await outcomeOf(flow)).kind).to.equal('ok');
    expect(all.toSorted((a: any, b: any) => a - b)).to.deep.equal(
      Array.from({ length: 100 }, (_, i) => i),
    );
  });

  it('what runs needs nobody who keeps the plug-in', async () => {
    let flow: IFlow | null = new AsyncSteps();
    flow.add((await load<Tried>(path)).step('threaded', Buffer.from('kept')));
    const ended = outcomeOf(flow);
    flow = null;
    collect();
    expect((await ended).values).to.deep.equal([Buffer.from('kept')]);
    while (list().length > 1) await new Promise(setImmediate);
  });

  it('what is loaded again takes the calls that begin, the others end with the old one', async () => {
    const waits = new AsyncSteps().add(plugin.step('cleans', 1));
    const ended = outcomeOf(waits);
    await new Promise(setImmediate);
    const { generation } = list().at(-1)!;
    const again = await load<Tried>(path);
    const steps = () => list().map(({ phase, steps }) => `${phase} ${steps}`);
    expect(steps()).to.deep.equal(['leaves 1', 'serves 0']);
    expect(list().at(-1)!.generation).to.equal(generation + 1);
    // It has seen nothing yet.
    expect(await valuesOf(plugin.step('seen'))).to.deep.equal([0, 0, 0]);
    waits.cancel();
    await ended;
    await waits.closed();
    while (list().length > 1) await new Promise(setImmediate);
    plugin = again;
  });

  it('what is unloaded takes no calls, and is gone when they have ended', async () => {
    const running = outcomeOf(new AsyncSteps().add(plugin.step('delay', 5)));
    await new Promise(setImmediate);
    const gone = plugin.unload();
    const error = await errorOf(plugin.step('echo'));
    expect([error.code, error.path]).to.deep.equal(['NoPlugin', 'tried.echo']);
    expect((await running).kind).to.equal('ok');
    await gone;
    expect(list()).to.deep.equal([]);
    plugin = await load<Tried>(path);
    expect(await valuesOf(plugin.step('echo', 1))).to.deep.equal([1]);
  });

  const garbage = async () => {
    await new Promise(setImmediate);
    collect();
    await new Promise(setImmediate);
  };
  /** Buffers that were given back keep what they are made of. */
  async function collected(): Promise<void> {
    for (let i = 0; i < 50 && counts().lent > 0; i++) await garbage();
  }
});
