import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import {
  all,
  AsyncSteps,
  delay,
  errors,
  forEach,
  hedge,
  type IAsyncSteps,
  type LineSnapshot,
  loop,
  map,
  Mutex,
  retry,
  shield,
  snapshot,
  snapshotText,
  StallWatch,
  step,
  steps,
  sync,
} from '../src/index.js';
import { locator, type Locator } from '../src/locate.js';
import { bench } from './bench.js';

const here = fileURLToPath(import.meta.url);
const source = (name: string) =>
  JSON.stringify(fileURLToPath(new URL(`../src/${name}`, import.meta.url)));

/** That of the line of the caller. */
const line = (offset = 0): string => {
  const frame = new Error('here').stack!.split('\n')[2]!;
  return `${here}:${Number(/:(\d+):\d+\)?$/.exec(frame)![1]) + offset}`;
};

/** Without the columns, which are the compiler's business. */
const withoutColumn = (place: string | undefined) => place?.replace(/:\d+$/, '');

/** The sources of all steps, the outermost first. */
const sourcesIn = ({ steps, lines }: LineSnapshot): (string | undefined)[] => [
  ...steps.map(({ source }) => withoutColumn(source)),
  ...lines.flatMap(sourcesIn),
];

describe('where bodies were written', function () {
  this.timeout(60_000);
  let found: Locator;

  before(() => {
    found = locator();
  });

  after(() => {
    found.close();
  });

  const waits: [string, (asi: IAsyncSteps) => unknown][] = [
    ['waits for its completion', (asi) => void asi.waitExternal()],
    ['waits for success() or error()', (asi) => asi.setTimeout(1000)],
    ['awaits a promise', () => new Promise(() => {})],
    [
      'awaits one, and has a completion too',
      (asi) => {
        asi.waitExternal();
        return new Promise(() => {});
      },
    ],
    ['has added steps', (asi) => void asi.add(delay(1000))],
    [
      'has settled one completion, and a promise',
      async (asi) => {
        await null;
        asi.add(delay(1000)).add((inner) => inner.waitExternal());
      },
    ],
  ];
  for (const [what, body] of waits) {
    it(`a snapshot says where a body was written that ${what}`, async () => {
      const { tool, flow } = bench();
      flow.add(body).execute();
      await tool.advance(1);
      const [outermost] = snapshot(flow, { locate: found.locate }).line!.steps;
      expect(outermost!.source).to.equal(found.locate(body));
      expect(snapshot(flow).line!.steps[0]).not.to.have.property('source');
      flow.cancel();
    });
  }

  it('a locator says file, line and column, of TypeScript if source maps are there', () => {
    const place = found.locate(() => {});
    expect(place).to.match(/^\/.*locate\.test\.ts:\d+:\d+$/);
    expect(withoutColumn(place)).to.equal(line(-2));
    expect(found.locate(async () => {})).to.contain(line());
    expect(found.locate(function* named() {}.bind(null).bind(null))).to.contain(line());
    const { method } = { method() {} };
    expect(found.locate(method)).to.contain(line(-1));
  });

  it('what is in no file has no place', () => {
    const none = [
      Math.max,
      Math.max.bind(null),
      new Function('') as () => void,
      new Proxy(() => {}, {}),
    ];
    for (const fn of none) expect(found.locate(fn)).to.equal(undefined);
  });

  it('steps of all kinds that have a body say where that was written', async () => {
    const { tool, flow } = bench();
    const mutex = new Mutex();
    const wait = (asi: IAsyncSteps) => void asi.waitExternal();
    const at = withoutColumn(found.locate(wait));
    const each = [
      ...[step(wait), sync(mutex, wait), shield(50, wait), retry({ max: 2 }, wait)],
      ...[hedge({ after: 5 }, wait), loop(wait), forEach([1], wait), map([1], { limit: 1 }, wait)],
      ...[
        steps(() => {}, wait),
        sync(new Mutex(), step(wait)),
        step(wait).timeout(9).named('limited'),
      ],
    ];
    flow.add(all(...each)).execute();
    await tool.advance(1);
    const { lines } = snapshot(flow, { locate: found.locate }).line!;
    expect(lines).to.have.length(each.length);
    for (const one of lines) expect(sourcesIn(one), JSON.stringify(one)).to.include(at);
    flow.cancel();
    await tool.run();
  });

  it('the text of a snapshot ends each line with it, also where the innermost step has none', async () => {
    const { tool, flow } = bench();
    flow.add((asi) => void asi.add(delay(50)), undefined, 'ask').execute();
    const at = line(-1);
    await tool.advance(1);
    const text = snapshotText(snapshot(tool, { locate: found.locate }));
    expect(text.replace(/:\d+\)/, ')')).to.contain(`└─ ask/0 delay: waits 49 ms (${at})`);
    flow.cancel();
  });

  it('a stall is told with it', async () => {
    const told: string[] = [];
    const { tool } = bench();
    const stalls = new StallWatch(tool, { wait: 5, locate: found.locate });
    const report = (_code: string, info: string) => void told.push(info);
    const flow = new AsyncSteps({ tool, report }).add((asi) => void asi.waitExternal());
    const at = line(-1);
    flow.execute();
    await tool.advance(10);
    expect(told).to.have.length(1);
    expect(told[0]).to.contain(`(${at}:`);
    stalls.cancel();
    flow.cancel();
  });

  it('what is no function, gives no text or throws is refused or shows nothing', async () => {
    const { flow } = bench();
    const locate = 5 as never;
    expect(() => snapshot(flow, { locate })).to.throw('snapshot: locate: expected a function');
    expect(() => snapshot(flow, { located: found.locate } as object)).to.throw("got 'located'");
    expect(() => new StallWatch(bench().tool, { wait: 5, locate })).to.throw('StallWatch: locate');
    const { tool, flow: waiting } = bench();
    waiting.add((asi) => void asi.waitExternal()).execute();
    await tool.advance(1);
    const fails = () => {
      throw new Error('no');
    };
    for (const none of [fails, () => 42, locator] as never[])
      expect(sourcesIn(snapshot(waiting, { locate: none }).line!)).to.deep.equal([undefined]);
    expect(() => (locator as any)(5)).to.throw('locator().locate');
  });

  it('a locator that is closed knows nothing, and a debugger beside it minds nothing', () => {
    const other = locator();
    const debug = new Session();
    debug.connect();
    debug.post('Debugger.enable');
    const fn = () => {};
    expect(other.locate(fn)).to.equal(found.locate(fn));
    other.close();
    other.close();
    expect(other.locate(fn)).to.equal(undefined);
    debug.disconnect();
  });

  it('a locator keeps no function alive', async () => {
    const refs = Array.from({ length: 20 }, () => {
      const fn = () => {};
      expect(found.locate(fn)).to.contain('locate.test.ts');
      return new WeakRef(fn);
    });
    const { gc } = await import('./gc.js');
    await new Promise((resolve) => setImmediate(resolve));
    gc();
    expect(refs.filter((ref) => ref.deref() !== undefined).length).to.be.lessThan(2);
  });

  it('a step that waits keeps its body only where somebody has asked', async () => {
    const program = `import('tsx/esm/api').then(({ register }) => {
      register();
      return Promise.all([import(${source('index.ts')}), import(${source('locate.ts')})]);
    }).then(async ([{ AsyncSteps, VirtualTool }, { locator }]) => {
      require('node:v8').setFlagsFromString('--expose-gc');
      const gc = require('node:vm').runInNewContext('gc');
      const tool = new VirtualTool();
      const waiting = (wait) => {
        const body = (asi) => wait(asi);
        const flow = new AsyncSteps({ tool }).add(body);
        flow.execute();
        return { flow, ref: new WeakRef(body) };
      };
      const isKept = async (wait) => {
        const flows = Array.from({ length: 20 }, () => waiting(wait));
        await tool.run();
        await new Promise((resolve) => setImmediate(resolve));
        gc();
        return flows.filter(({ ref }) => ref.deref() !== undefined).length > 1;
      };
      const wait = (asi) => void asi.waitExternal();
      const awaits = () => new Promise(() => {});
      const before = [await isKept(wait), await isKept(awaits)];
      locator().close();
      const after = [await isKept(wait), await isKept(awaits)];
      require('node:worker_threads').parentPort.postMessage({ before, after });
    });`;
    const worker = new Worker(program, { eval: true });
    const told = await new Promise<object>((resolve, reject) => {
      worker.on('message', resolve);
      worker.on('error', reject);
    });
    expect(told).to.deep.equal({ before: [false, false], after: [true, true] });
    await worker.terminate();
  });

  it('works in a worker thread', async () => {
    const program = `import('tsx/esm/api').then(({ register }) => {
      register();
      return import(${source('locate.ts')});
    }).then(({ locator }) => {
      const { locate, close } = locator();
      require('node:worker_threads').parentPort.postMessage(locate(locator));
      close();
    });`;
    const worker = new Worker(program, { eval: true });
    const place = await new Promise<string>((resolve, reject) => {
      worker.on('message', resolve);
      worker.on('error', reject);
    });
    expect(place).to.match(/src\/locate\.ts:\d+:\d+$/);
    await worker.terminate();
  });

  it("says so where Node's inspector can't be used", () => {
    const { process } = globalThis;
    try {
      (globalThis as any).process = undefined;
      expect(() => locator()).to.throw("locator: Node's inspector can't be used here");
    } finally {
      globalThis.process = process;
    }
    expect(() => locator().close()).not.to.throw(errors.InternalError);
  });

  it('a signal makes a process write it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'locate-'));
    try {
      const program = join(folder, 'order.mts');
      writeFileSync(
        program,
        `import { AsyncSteps, defaultTool, dumpOnSignal } from ${source('index.ts')};
import { locator } from ${source('locate.ts')};
new AsyncSteps({ name: 'order' }).add((asi) => void asi.waitExternal()).execute();
dumpOnSignal(defaultTool, {
  locate: locator().locate,
  write: (text) => { console.log(text); process.exit(); },
});
setTimeout(() => process.kill(process.pid, 'SIGUSR2'), 10);
setTimeout(() => {}, 20_000);
`,
      );
      const args = ['--import', 'tsx', program];
      const out = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 });
      expect(out).to.contain('waits for its completion (');
      expect(out).to.match(/\/order\.mts:3:\d+\)\n/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
