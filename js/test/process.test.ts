import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';

const index = fileURLToPath(new URL('../src/index.ts', import.meta.url));

interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs a program that uses the package in a process of its own. */
function runProgram(program: string): Promise<Ended> {
  const source = `
    import { AsyncSteps, FlightRecorder, VirtualTool, defaultTool, dumpOnSignal } from ${JSON.stringify(index)};
    process.on('uncaughtException', (e) => { console.log('uncaught', e.code ?? e); });
    ${program}`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', source];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: 20_000 }, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, out: out.trim(), err: err.trim() });
    });
  });
}

describe('process', function () {
  this.timeout(30_000);

  it('an idle default tool does not hold the process', async () => {
    const { code, out } = await runProgram(`
      const start = performance.now();
      const flow = new AsyncSteps();
      flow.add((asi) => { asi.setTimeout(60_000); asi.success(); });
      flow.execute(() => console.log('done'));
      const waiting = new AsyncSteps();
      waiting.add((asi) => { asi.setTimeout(60_000); });
      waiting.execute();
      setTimeout(() => waiting.cancel(), 10);
      const stuck = new AsyncSteps();
      stuck.add((asi) => { asi.waitExternal(); });
      stuck.execute();
      defaultTool.deferred(60_000, () => {}).cancel();
      process.on('exit', () => console.log(performance.now() - start < 10_000 ? 'soon' : 'late'));`);
    expect([code, out]).to.deep.equal([0, 'done\nsoon']);
  });

  it('an error that nobody handles has the last events of its flow behind it', async () => {
    const { code, err } = await runProgram(`
      process.removeAllListeners('uncaughtException');
      const recorder = new FlightRecorder(defaultTool);
      const other = new AsyncSteps({ name: 'other', unhandled() {} });
      other.add((asi) => asi.error('Other')).execute();
      const flow = new AsyncSteps({ name: 'order' });
      flow.add((asi) => asi.loop((each) => {
        if (++each.state.n === 40) throw new TypeError('bug');
      }), null, 'page');
      flow.state.n = 0;
      flow.execute();`);
    expect(code).to.equal(1);
    const [before, behind] = err.split('\nthe last events of its flow:\n') as [string, string];
    expect(before).to.match(/TypeError: bug\n {4}at [\s\S]*\n {4}at step page\/0\/#39$/);
    const lines = behind.split('\n').slice(0, 51);
    for (const line of lines.slice(0, 50)) expect(line).to.match(/^ {2}\d+ flow \d+ "order" /);
    expect(lines[50]).not.to.contain('flow');
    expect(lines.slice(46, 50).map((line) => line.replace(/^ *\d+ flow \d+ /, ''))).to.deep.equal([
      '"order" page/0/#39 closed error InternalError',
      '"order" page/0 closed error InternalError',
      '"order" page closed error InternalError',
      '"order" ended error InternalError',
    ]);
  });

  it('an error that somebody hears of has no events behind it', async () => {
    const { out } = await runProgram(`
      const recorder = new FlightRecorder(defaultTool);
      const said = [];
      const say = ({ stack }) => said.push(stack.includes('last events'));
      const fail = () => { throw new Error('bug'); };
      process.removeAllListeners('uncaughtException');
      process.on('uncaughtException', say);
      await new AsyncSteps().add(fail).promise().catch(say);
      new AsyncSteps().add(fail).execute(({ error }) => say(error));
      new AsyncSteps({ unhandled: (_code, _info, error) => say(error) }).add(fail).execute();
      await new Promise((resolve) => setTimeout(resolve, 5));
      recorder.cancel();
      new AsyncSteps().add(fail).execute();
      process.on('exit', () => console.log(said.join()));`);
    expect(out).to.equal('false,false,false,false');
  });

  it('a signal makes it write what its flows do, and holds no process', async () => {
    const { code, out, err } = await runProgram(`
      const flow = new AsyncSteps({ name: 'order' });
      flow.add((asi) => { asi.waitExternal(); }, null, 'charge');
      flow.execute();
      const handle = dumpOnSignal(defaultTool);
      const texts = [];
      const own = dumpOnSignal(defaultTool, { max: 1, write: (text) => texts.push(text) });
      setTimeout(() => process.kill(process.pid, 'SIGUSR2'), 10);
      while (texts.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      handle.cancel();
      own.cancel();
      console.log(texts[0].split('\\n')[1], handle.valid(), process.listenerCount('SIGUSR2'));`);
    expect([code, out]).to.deep.equal([0, '… and 1 more false 0']);
    expect(err).to.match(/^flow \d+ "order"\n└─ charge step: waits for its completion$/);
  });

  it('a worker thread has no signal at which it could write', async () => {
    const source = `import('tsx/esm/api').then(({ register }) => {
      register();
      return import(${JSON.stringify(index)});
    }).then(({ defaultTool, dumpOnSignal }) => dumpOnSignal(defaultTool));`;
    const worker = new Worker(source, { eval: true });
    const { code, info } = await new Promise<any>((resolve) => worker.on('error', resolve));
    expect([code, info]).to.deep.equal([
      'InternalError',
      'dumpOnSignal: there are no signals here',
    ]);
  });

  it('an armed timer holds the process', async () => {
    const { out } = await runProgram(`
      const flow = new AsyncSteps();
      flow.add((asi) => { asi.setTimeout(50); }, (asi, code) => asi.success(code));
      flow.execute(({ values }) => console.log(values[0]));`);
    expect(out).to.equal('Timeout');
  });

  it('an unhandled error without a hook is an uncaughtException', async () => {
    const { out } = await runProgram(`
      const flow = new AsyncSteps();
      flow.add((asi) => asi.error('Lost', 'i'));
      flow.execute();`);
    expect(out).to.equal('uncaught Lost');
  });

  it('a report without a hook is printed', async () => {
    const { code, out, err } = await runProgram(`
      const flow = new AsyncSteps();
      flow.add((asi) => asi.setCancel(() => { throw new Error('unclean'); }), undefined, 'named');
      flow.execute(({ kind }) => console.log(kind));
      defaultTool.immediate(() => flow.cancel());`);
    expect([code, out]).to.deep.equal([0, 'cancelled']);
    expect(err).to.contain('unclean').and.contain('named');
  });

  it('a hook that throws is an uncaughtException', async () => {
    const { out } = await runProgram(`
      const hooks = { unhandled() { throw 'U'; }, report() { throw 'R'; } };
      const failing = new AsyncSteps(hooks);
      failing.add((asi) => asi.error('E')).execute();
      const cancelled = new AsyncSteps(hooks);
      cancelled.add((asi) => asi.setCancel(() => { throw 'C'; })).execute();
      defaultTool.immediate(() => cancelled.cancel());
      defaultTool.immediate(() => { throw 'I'; });`);
    expect(out.split('\n').sort()).to.deep.equal(['uncaught I', 'uncaught R', 'uncaught U']);
  });

  it('nothing leaves an unhandled rejection behind', async () => {
    const { code, out } = await runProgram(`
      process.on('unhandledRejection', () => console.log('unhandled'));
      const run = (fill) => new Promise((resolve) => {
        const flow = new AsyncSteps({ report() {} });
        fill(flow);
        flow.execute(resolve);
      });
      await run((flow) => flow.add(async () => { throw new Error('x'); }));
      await run((flow) => flow.add(async (asi) => { asi.error('E'); }));
      await run((flow) => flow.add((asi) => asi.error('E'), async () => { throw new Error('x'); }));
      await run((flow) => flow.add(async () => { flow.cancel(); throw new Error('x'); }));
      await run((flow) => flow.add((asi) => { asi.await(Promise.reject(1)); asi.error('E'); }));
      await run((flow) => flow.add((asi) => {
        asi.setTimeout(1);
        return new Promise((_, reject) => setTimeout(reject, 5));
      }));
      setTimeout(() => console.log('end'), 20);`);
    expect([code, out]).to.deep.equal([0, 'end']);
  });

  it('a timer that a timer callback arms and cancels does not hold the process', async () => {
    const { code, out } = await runProgram(`
      const start = performance.now();
      defaultTool.deferred(5, () => defaultTool.deferred(60_000, () => {}).cancel());
      process.on('exit', () => console.log(performance.now() - start < 10_000 ? 'soon' : 'late'));`);
    expect([code, out]).to.deep.equal([0, 'soon']);
  });

  it('a timer that comes after one that was cancelled holds the process', async () => {
    const { code, out } = await runProgram(`
      defaultTool.deferred(20, () => {}).cancel();
      defaultTool.deferred(200, () => console.log('fired'));`);
    expect([code, out]).to.deep.equal([0, 'fired']);
  });
});
