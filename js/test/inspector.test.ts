import { expect } from 'chai';
import {
  all,
  AsyncSteps,
  AsyncTool,
  delay,
  forEach,
  Mutex,
  snapshot,
  step,
  steps,
  sync,
  VirtualTool,
} from '../src/index.js';
import { closeAll, hang, hostile, open, post, quiet, Stream, Watcher } from './inspecting.js';

describe('inspect', function () {
  this.timeout(60_000);
  afterEach(closeAll);

  it('a page is told what runs, what that waits for and since when', async () => {
    const tool = new VirtualTool();
    const { url } = await open(tool);
    const db = new Mutex({ name: 'db' });
    tool.start(sync(db, hang).named('charge').timeout(500), { ...quiet, name: 'order' });
    tool.start(sync(db, hang).named('mails'), { ...quiet, name: 'mail' });
    await tool.advance(70);
    const stream = await Stream.open(url);
    expect(await stream.hello).to.include({ type: 'hello', cancel: false, virtual: true });
    const frame = await stream.frame(({ waits }) => !('unseen' in waits));
    expect(frame.time).to.equal(70);
    expect(frame.totals).to.deep.equal({ running: 2, begun: 2, ok: 0, failed: 0, cancelled: 0 });
    expect(frame.waits).to.deep.equal({ completion: 1, guard: 1 });
    const [order, mail] = frame.rows;
    expect(order).to.deep.include({
      name: 'order',
      path: 'charge',
      age: 70,
      deadline: 430,
      lines: 1,
    });
    expect(order!.waits).to.deep.equal({ for: 'completion', since: 70 });
    const [guard] = frame.guards;
    expect(guard).to.deep.include({
      kind: 'mutex',
      name: 'db',
      waiting: 1,
      active: 1,
      available: 0,
    });
    expect(guard!.holders).to.deep.equal([
      { run: order!.run, flow: order!.id, name: 'order', path: 'charge' },
    ]);
    expect(mail!.waits).to.deep.equal({
      ...{ for: 'guard', kind: 'mutex', name: 'db', place: 1, since: 70 },
      guard: guard!.id,
    });
    expect(snapshot(tool).flows.map(({ id }) => id)).to.deep.equal([order!.id, mail!.id]);
  });

  it('flows that ran before are there, older than it knows', async () => {
    const tool = new VirtualTool();
    tool.start(hang, { ...quiet, name: 'before' });
    await tool.advance(10);
    const { url } = await open(tool);
    await tool.advance(5);
    const stream = await Stream.open(url);
    const { rows } = await stream.frame(({ rows: [first] }) => first?.waits !== undefined);
    const [row] = rows;
    expect(row).to.deep.include({
      name: 'before',
      older: true,
      age: 5,
      waits: { for: 'completion' },
    });
  });

  it('a view chooses by text, wait, guard, code, age and state, in an order, from a row on', async () => {
    const tool = new VirtualTool();
    const { url } = await open(tool);
    const db = new Mutex({ name: 'db' });
    for (let i = 0; i < 30; i++) {
      tool.start(steps(delay(i), hang).named('job'), { ...quiet, name: `job-${i}` });
    }
    tool.start(sync(db, hang).named('first'), { ...quiet, name: 'holder' });
    tool.start(sync(db, hang).named('second'), { ...quiet, name: 'waiter' });
    const late = steps((asi) => asi.error('Early'))
      .onError((asi) => asi.add(hang))
      .named('late');
    await tool.advance(100);
    tool.start(late, { ...quiet, name: 'late' });
    await tool.advance(0);
    const stream = await Stream.open(url);
    await stream.frame(({ waits }) => !('unseen' in waits));
    const names = async (view: object) => {
      const { found, first, rows } = await stream.seen(view);
      return [found, first, ...rows.map(({ name }) => name)];
    };
    expect(await names({ text: 'JOB-2', rows: 3 })).to.deep.equal([
      11,
      0,
      'job-2',
      'job-20',
      'job-21',
    ]);
    expect(await names({ text: 'second db' })).to.deep.equal([1, 0, 'waiter']);
    expect(await names({ waits: 'guard' })).to.deep.equal([1, 0, 'waiter']);
    const [guard] = (await stream.frame()).guards;
    expect(await names({ guard: guard!.id })).to.deep.equal([2, 0, 'holder', 'waiter']);
    expect(await names({ code: 'Early' })).to.deep.equal([1, 0, 'late']);
    expect(await names({ since: 100 })).to.deep.equal([3, 0, 'job-0', 'holder', 'waiter']);
    expect(await names({ age: 101 })).to.deep.equal([0, 0]);
    expect(await names({ state: 'cancelling' })).to.deep.equal([0, 0]);
    expect(await names({ sort: 'age', reverse: true, rows: 1 })).to.deep.equal([33, 0, 'late']);
    expect(await names({ sort: 'name', rows: 2, first: 31 })).to.deep.equal([
      33,
      31,
      'late',
      'waiter',
    ]);
    expect(await names({ first: 999, rows: 1 })).to.deep.equal([33, 32, 'late']);
  });

  it('an expanded flow shows its lines; when it has ended, how', async () => {
    const tool = new VirtualTool();
    const { url } = await open(tool);
    const page = all(hang.named('user'), delay(80).named('cart'))
      .timeout(100, 'Slow')
      .named('page');
    tool.start(page, { ...quiet, name: 'page' });
    await tool.advance(30);
    const stream = await Stream.open(url);
    const { rows } = await stream.frame(({ rows }) => rows.length === 1);
    const { run } = rows[0]!;
    const { open: opened } = await stream.seen({ open: run });
    expect(opened).to.deep.equal({
      ...{ run, index: 0, more: 0, row: rows[0] },
      lines: [
        { depth: 0, steps: [{ element: 'page', kind: 'all', timeout: 70 }] },
        {
          ...{ depth: 1, steps: [{ element: '|user', kind: 'step' }] },
          waits: { for: 'completion', since: 30 },
        },
        {
          ...{ depth: 1, steps: [{ element: '|cart', kind: 'delay' }] },
          waits: { for: 'timer', ms: 50, since: 30 },
        },
      ],
    });
    await tool.advance(90);
    const { open: ended, codes } = await stream.frame(({ rows }) => rows.length === 0);
    expect(ended).to.deep.equal({ run, ended: { outcome: 'error', code: 'Slow', ago: 20 } });
    expect(codes).to.deep.include({ code: 'Slow', ended: 1, handled: 0, ago: codes[0]!.ago });
    expect((await stream.seen({ open: 12_345 })).open).to.deep.equal({ run: 12_345, gone: true });
  });

  it('a flow that is executed again has the same id, but is another run', async () => {
    const tool = new VirtualTool();
    const { url } = await open(tool, { allowCancel: true });
    const flow = new AsyncSteps({ tool, ...quiet });
    const execute = async () => {
      flow.add((asi) => void asi.waitExternal()).execute();
      await tool.advance(1);
    };
    await execute();
    const stream = await Stream.open(url);
    const [first] = (await stream.frame()).rows;
    flow.cancel();
    await tool.advance(1);
    await execute();
    const [second] = (await stream.seen({ open: first!.run })).rows;
    expect(second!.id).to.equal(first!.id);
    expect(second!.run).to.be.above(first!.run);
    expect((await post(`${url}cancel`, { run: first!.run })).status).to.equal(202);
    await stream.seen({});
    expect(flow.running()).to.equal(true);
    await post(`${url}cancel`, { run: second!.run });
    await stream.frame(({ rows }) => rows[0]?.state !== 'running');
    await tool.run();
    expect(flow.running()).to.equal(false);
  });

  it('cancels nothing if that was not allowed', async () => {
    const { url } = await open(new VirtualTool());
    expect((await post(`${url}cancel`, { run: 1 })).status).to.equal(403);
  });

  it('counts steps by where they stand, and turns that hold the loop', async () => {
    const tool = new AsyncTool();
    const { url } = await open(tool);
    const holds = step(() => {
      const end = performance.now() + 60;
      while (performance.now() < end);
    }).named('hash');
    const ended = new Promise((done) => {
      const flow = steps(holds, delay(3).named('rest'));
      tool.start(flow, { ...quiet, name: 'login 17', done });
    });
    await ended;
    const stream = await Stream.open(url);
    const { slow, stalls, totals, timeline } = await stream.frame();
    expect(slow.map(({ flow, path, count }) => [flow, path, count])).to.have.deep.members([
      ['login *', '0', 1],
      ['login *', '0/hash', 1],
      ['login *', '0/rest', 1],
    ]);
    expect(slow.find(({ path }) => path === '0/hash')!.max).to.be.at.least(59);
    expect(stalls).to.have.lengthOf(1);
    expect(stalls[0]).to.include({ name: 'login 17', path: '0/hash' });
    expect(stalls[0]!.ms).to.be.at.least(60);
    expect(totals).to.include({ begun: 1, ok: 1, running: 0 });
    const sum = (of: readonly number[]) => of.reduce((all, n) => all + n, 0);
    expect([sum(timeline.begun), sum(timeline.ended), sum(timeline.failed)]).to.deep.equal([
      1, 1, 0,
    ]);
    expect(Math.max(...timeline.longest)).to.be.at.least(60);
    expect(sum(timeline.busy)).to.be.at.least(59);
    expect(Math.max(...timeline.busy)).to.be.at.most(timeline.ms);
  });

  it('sums up waits of 10 s or more, by the kind of flow, where, and for what; not those for timers', async () => {
    const tool = new VirtualTool();
    const { url } = await open(tool);
    const db = new Mutex({ name: 'db' });
    const order = sync(db, hang).named('charge');
    const start = (name: string, flow: typeof hang) => tool.start(flow, { ...quiet, name });
    for (const name of ['order 1', 'order 2']) start(name, order);
    start('refund 1', order);
    start('nap', delay(60_000));
    const answer = hang.named('answer');
    for (const requests of [[1], [0, 0, 1]])
      start(
        `client ${requests.length}`,
        forEach(requests, (asi, _, it) => void (it && asi.add(answer))),
      );
    await tool.advance(500);
    start('order 3', order);
    await tool.advance(9499);
    const stream = await Stream.open(url);
    expect((await stream.frame()).lasting).to.deep.equal([]);
    await tool.advance(1);
    const first = await stream.seen({});
    const runOf = (name: string) => first.rows.find((row) => row.name === name)!.run;
    const mutex = { for: 'guard', kind: 'mutex', name: 'db' };
    const completion = { for: 'completion' };
    const ten = { flow: 'order *', path: 'charge', count: 1, ms: 10_000 };
    const client = { flow: 'client *', path: '0/#*/answer', waits: completion, count: 2 };
    expect(first.lasting).to.deep.equal([
      { ...ten, waits: completion, run: runOf('order 1') },
      { ...ten, waits: mutex, run: runOf('order 2') },
      { ...ten, flow: 'refund *', waits: mutex, run: runOf('refund 1') },
      { ...client, ms: 10_000, run: runOf('client 1') },
    ]);
    await tool.advance(500);
    expect((await stream.seen({})).lasting[1]).to.deep.equal({
      ...{ ...ten, count: 2, ms: 10_500 },
      ...{ waits: mutex, run: runOf('order 2') },
    });
  });

  it('says that the loop is held while it is, and in whose turn', async () => {
    const tool = new AsyncTool();
    const { url } = await open(tool);
    const stream = await Stream.open(url);
    await stream.frame();
    const watcher = new Watcher(url);
    await watcher.reads;
    tool.start(step(() => watcher.hold()).named('hash'), { ...quiet, name: 'login' });
    const held = await watcher.held;
    expect(held).to.deep.include({ type: 'held', name: 'login', path: 'hash' });
    expect(held.ms).to.be.at.least(300);
    await stream.frame();
  });

  it('sends names as they are, cut, on one line each', async () => {
    const tool = new VirtualTool();
    const { url } = await open(tool);
    for (const name of [hostile, 'x'.repeat(1_000_000), '😀'.repeat(150), '\ud800'])
      tool.start(sync(new Mutex({ name }), hang).named(name), { ...quiet, name });
    await tool.advance(1);
    const stream = await Stream.open(url);
    await stream.frame(({ waits }) => !('unseen' in waits));
    const frame = await stream.seen({ sort: 'id', open: 1 });
    const names = frame.rows.map(({ name }) => name);
    expect(names[0]).to.equal(hostile);
    expect(names[1]).to.equal(`${'x'.repeat(199)}…`);
    expect(names[2]).to.equal(`${'😀'.repeat(99)}…`);
    expect(JSON.stringify(frame)).to.have.length.below(20_000);
  });

  it('a flow with a thousand lines and one a thousand levels deep take a bounded message', async () => {
    const tool = new VirtualTool();
    const { url } = await open(tool);
    let deep = hang.named('innermost');
    for (let i = 0; i < 1000; i++) deep = steps(deep).named(`level ${i}`);
    tool.start(deep, { ...quiet, name: 'deep' });
    tool.start(all(...Array.from({ length: 1000 }, () => hang)), { ...quiet, name: 'wide' });
    await tool.advance(1);
    const stream = await Stream.open(url);
    const { rows } = await stream.frame(({ waits }) => !('unseen' in waits));
    const runOf = (wanted: string) => rows.find(({ name }) => name === wanted)!.run;
    const wide = (await stream.seen({ open: runOf('wide') })).open!;
    expect([wide.lines!.length, wide.more]).to.deep.equal([400, 601]);
    const opened = (await stream.seen({ open: runOf('deep') })).open!;
    expect(opened.lines![0]!.steps).to.have.lengthOf(25);
    expect(opened.lines![0]!.steps[12]!.element).to.equal('… 977 more …');
    expect(rows.find(({ name }) => name === 'deep')!.path).to.match(
      /^level 999\/.*\/…\/.*\/innermost$/,
    );
  });
});
