import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import {
  all,
  AsyncSteps,
  AsyncTool,
  delay,
  type IAsyncSteps,
  loop,
  Mutex,
  observe,
  StallWatch,
  step,
  steps,
  sync,
  VirtualTool,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';
import { withClock } from './clocks.js';

const nothing = () => {};
const hang = step((asi) => void asi.waitExternal());

/** What `report` hears; flows have another number each time. */
function reports() {
  const told: { code: string; path: string; lines: string[] }[] = [];
  const report = (code: string, info: string, _thrown: unknown, path: string) => {
    told.push({ code, path, lines: info.replace(/flow \d+/g, 'flow 7').split('\n') });
  };
  return { told, report };
}

describe('StallWatch', () => {
  it('a body that holds the loop is reported once, with path, time and tree', async () => {
    await withClock(async (clock) => {
      const { told, report } = reports();
      const tool = new VirtualTool();
      const stalls = new StallWatch(tool, { body: 50 });
      const works = (ms: number) => () => void (clock.time += ms);
      const slow = step((asi: IAsyncSteps) => {
        clock.time += 63.5;
        asi.waitExternal();
      }).named('slow');
      const flow = new AsyncSteps({ tool, report, name: 'order' });
      flow.add(steps(works(50), slow).named('page')).execute();
      await tool.run();
      expect(told).to.deep.equal([
        {
          code: 'Stalled',
          path: 'page/slow',
          lines: [
            'page/slow held the loop for 63 ms',
            'flow 7 "order", 0 ms old',
            '└─ page/slow step: runs',
          ],
        },
      ]);
      stalls.cancel();
      flow.cancel();
      new AsyncSteps({ tool, report }).add(works(99)).execute();
      await tool.run();
      expect(told).to.have.lengthOf(1);
      expect(tool.watching).to.equal(null);
    });
  });

  it('each call of a body is one, that of a deferred function, too', async () => {
    await withClock(async (clock) => {
      const { told, report } = reports();
      const tool = new VirtualTool();
      new StallWatch(tool, { body: 50 });
      const flow = new AsyncSteps({ tool, report });
      flow.repeat(3, (asi, i) => {
        clock.time += 30 * i;
        asi.defer(() => void (clock.time += 70 * i));
      });
      flow.execute();
      await tool.run();
      expect(told.map(({ lines }) => lines[0])).to.deep.equal([
        '0/#1/~0 held the loop for 70 ms',
        '0/#2 held the loop for 60 ms',
        '0/#2/~0 held the loop for 140 ms',
      ]);
    });
  });

  it('a body that runs already when the watch is made is not told', async () => {
    await withClock(async (clock) => {
      const { told, report } = reports();
      const { tool, flow, run } = bench({ report });
      flow.add(() => {
        new StallWatch(tool, { body: 50 });
        clock.time += 60;
      });
      flow.add(() => void (clock.time += 70));
      await run();
      expect(told.map(({ lines }) => lines[0])).to.deep.equal(['1 held the loop for 70 ms']);
    });
  });

  it('a wait that lasts is reported once, with what it is for, path and tree', async () => {
    const { told, report } = reports();
    const tool = new VirtualTool();
    const stalls = new StallWatch(tool, { wait: 10 });
    const db = new Mutex({ name: 'db' });
    const flow = new AsyncSteps({ tool, report, name: 'order' });
    flow.add(all(sync(db, hang), sync(db, hang), delay(9)));
    flow.execute();
    await tool.advance(9);
    expect(told).to.deep.equal([]);
    await tool.advance(100);
    const tree = [
      'flow 7 "order", 10 ms old',
      '└─ 0 all',
      '   ├─ |0 sync: waits for its completion, for 10 ms now',
      '   └─ |1 sync: waits for mutex "db", place 1, for 10 ms now',
    ];
    expect(told).to.deep.equal([
      {
        code: 'StalledWait',
        path: '0/|0',
        lines: ['0/|0 waits for its completion, for 10 ms now', ...tree],
      },
      {
        code: 'StalledWait',
        path: '0/|1',
        lines: ['0/|1 waits for mutex "db", for 10 ms now', ...tree],
      },
    ]);
    expect(stalls.valid()).to.equal(true);
    stalls.cancel();
    expect(stalls.valid()).to.equal(false);
    flow.cancel();
    flow.execute();
    await tool.advance(100);
    expect(told).to.have.lengthOf(2);
    flow.cancel();
  });

  it('a line that goes on waits anew', async () => {
    const { told, report } = reports();
    const { tool, flow } = bench({ report });
    new StallWatch(tool, { wait: 10 });
    flow.add(
      steps(delay(8), delay(10), delay(12), (asi: IAsyncSteps) =>
        asi.loop((each) => void each.add(delay(6))),
      ),
    );
    flow.execute();
    await tool.advance(200);
    expect(told.map(({ path, lines }) => [path, lines[0]])).to.deep.equal([
      ['0/2', '0/2 waits 2 ms, for 10 ms now'],
    ]);
    flow.cancel();
  });

  it('a watch keeps nothing running, and has no timer of the tool', async () => {
    const { told, report } = reports();
    const { tool, flow } = bench({ report });
    new StallWatch(tool, { wait: 10 });
    flow.add(hang).execute();
    await tool.run();
    expect([tool.now(), tool.armedTimers(), told.length]).to.deep.equal([0, 0, 0]);
    tool.deferred(30, nothing);
    await tool.run();
    expect([tool.now(), told.length]).to.deep.equal([30, 1]);
    flow.cancel();

    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const real = new AsyncTool();
    const stalls = new StallWatch(real, { wait: 60_000 });
    const waiting = new AsyncSteps({ tool: real }).add(hang);
    waiting.execute();
    await new Promise((resolve) => setImmediate(resolve));
    expect(timers()).to.equal(before);
    stalls.cancel();
    waiting.cancel();
  });

  it('a wait is told by the platform’s time, too', async () => {
    const tool = new AsyncTool();
    const stalls = new StallWatch(tool, { wait: 2 });
    const line = await new Promise<string>((resolve) => {
      const report = (_code: string, info: string) => {
        resolve(info.split('\n')[0]!);
        flow.cancel();
      };
      const flow = new AsyncSteps({ tool, report }).add(steps(hang).timeout(60_000));
      flow.execute();
    });
    expect(line).to.match(/^0\/0 waits for its completion, for \d+ ms now$/);
    stalls.cancel();
  });

  it('time that passes while lines are busy lets waits be told', async () => {
    const { told, report } = reports();
    const { tool, flow } = bench({ report });
    new StallWatch(tool, { wait: 10 });
    flow.add(hang).execute();
    const busy = new AsyncSteps({ tool });
    busy.add(loop((asi) => void (tool.now() >= 30 && asi.breakLoop())));
    busy.execute();
    await tool.run();
    expect(told.map(({ lines }) => lines[0])).to.deep.equal([
      '0 waits for its completion, for 11 ms now',
    ]);
    flow.cancel();
  });

  it('whatever report does, nothing else is disturbed', async () => {
    await withClock(async (clock) => {
      const tool = new VirtualTool();
      const codes: string[] = [];
      const seen: string[] = [];
      const watching = observe(tool, ({ what }) => void seen.push(what), { bodies: true });
      const stalls = new StallWatch(tool, { body: 5, wait: 10 });
      const other = new AsyncSteps({ tool, report: (code) => void codes.push(`other ${code}`) });
      other.add(hang);
      const flow = new AsyncSteps({
        tool,
        report: (code) => {
          codes.push(code);
          if (code === 'Stalled') {
            other.execute();
            flow.cancel();
          } else {
            stalls.cancel();
            flow.cancel();
            other.cancel();
          }
        },
      });
      const outcomes: string[] = [];
      flow.add(() => void (clock.time += 6)).add(() => void seen.push('never'));
      flow.execute(({ kind }) => outcomes.push(kind));
      await tool.run();
      expect(seen).to.deep.equal([
        ...['begun', 'turn', 'opened', 'body', 'returned', 'begun', 'closed', 'ended'],
        ...['turn', 'opened', 'body', 'returned', 'waits'],
      ]);
      const waiting = flow.newInstance() as AsyncSteps;
      waiting.add(all(hang, hang)).execute();
      tool.deferred(20, nothing);
      await tool.run();
      expect([codes, outcomes]).to.deep.equal([
        ['Stalled', 'other StalledWait', 'StalledWait'],
        ['cancelled'],
      ]);
      expect([stalls.valid(), other.running(), waiting.running()]).to.deep.equal([
        false,
        false,
        true,
      ]);
      waiting.cancel();
      watching.cancel();
    });
  });

  it('bad options are refused', () => {
    const tool = new VirtualTool();
    const refused = (options: unknown, of: unknown = tool) =>
      thrownBy(() => new StallWatch(of as never, options as never)).message;
    for (const bad of [0, -1, Number.NaN, '50', null]) {
      expect(refused({ body: bad })).to.match(
        /^InternalError: StallWatch: body: expected milliseconds, more than 0, got /,
      );
      expect(refused({ wait: bad })).to.match(
        /^InternalError: StallWatch: wait: expected milliseconds, more than 0, got /,
      );
    }
    expect(refused({})).to.equal('InternalError: StallWatch: expected body or wait');
    expect(refused({ wait: 5, stuck: true })).to.equal('InternalError: StallWatch: expected body');
    expect(refused({ body: 5, stuck: 1 })).to.contain('stuck: expected true or false');
    expect(refused(undefined)).to.contain('expected options');
    expect(refused({ body: 5, waits: 5 })).to.contain("one of body wait stuck locate, got 'waits'");
    expect(refused({ body: 5 }, {})).to.contain('expected a tool');
    expect(tool.watching).to.equal(null);
  });

  it('while a body holds the loop another thread says which one', async function () {
    this.timeout(60_000);
    const index = fileURLToPath(new URL('../src/index.ts', import.meta.url));
    const program = `
      import { AsyncSteps, StallWatch, defaultTool, steps, step } from ${JSON.stringify(index)};
      import { fstatSync } from 'node:fs';
      new StallWatch(defaultTool, { body: 20, stuck: true });
      const flow = new AsyncSteps({ name: 'or\\nder', report: (code) => console.log(code) });
      const spin = step(() => {
        for (const end = performance.now() + 10_000; performance.now() < end;)
          if (fstatSync(2).size > 0) break;
        console.log(fstatSync(2).size > 0);
      });
      flow.add(steps(spin.named('sp\\tin')).named('page'));
      flow.execute();`;
    const folder = mkdtempSync(join(tmpdir(), 'stalls-'));
    const file = openSync(join(folder, 'stderr'), 'w+');
    const args = ['--import', 'tsx', '--input-type=module', '-e', program];
    const { stdout } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', file] });
    const err = readFileSync(join(folder, 'stderr'), 'utf8');
    closeSync(file);
    rmSync(folder, { recursive: true });
    expect(`${stdout}`).to.equal('true\nStalled\n');
    expect(err).to.match(
      /^steptree: flow \d+ "or\\nder" at page\/sp\\tin has held the loop for \d+ ms\n$/,
    );
  });
});
