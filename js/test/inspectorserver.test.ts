import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { VirtualTool } from '../src/index.js';
import { inspect } from '../src/inspector.js';
import { rejectionOf } from './bench.js';
import { ask, closeAll, hang, open, post, quiet, Stream } from './inspecting.js';

describe("an inspector's server", function () {
  this.timeout(60_000);
  afterEach(closeAll);

  it('is opened by its token only, and says nothing to others', async () => {
    const { url } = await open(new VirtualTool());
    const { host, origin } = new URL(url);
    const statusOf = async (to: string, options = {}) => (await ask(to, options)).status;
    expect(await statusOf(url)).to.equal(200);
    expect(await statusOf(url, { headers: { host: 'localhost:1' } })).to.equal(200);
    const refused: [string, object?][] = [
      [origin],
      [`${origin}/`],
      [`${origin}/events`],
      [`${origin}/${'x'.repeat(32)}/`],
      [url.slice(0, -1)],
      [`${url}other`],
      [`${url}events/`],
      [`${url}../`],
      [`${url}?x`],
      [`${url}view`],
      [url, { method: 'POST' }],
      [url, { method: 'HEAD' }],
      [url, { method: 'OPTIONS' }],
      [`${url}view`, { method: 'PUT' }],
      [url, { headers: { host: 'evil.example' } }],
      [`${url}events`, { headers: { host: 'localhost.evil.example' } }],
      [`${url}view`, { method: 'POST', headers: { origin: 'http://evil.example' } }],
      [`${url}cancel`, { method: 'POST', headers: { origin: 'null' } }],
    ];
    for (const [to, options] of refused) {
      const answer = await ask(to, options);
      expect([answer.status, answer.text], `${to} ${JSON.stringify(options)}`).to.deep.equal([
        404,
        '',
      ]);
      expect(answer.headers).not.to.have.any.keys('access-control-allow-origin', 'server');
    }
    expect(host).to.match(/^127\.0\.0\.1:/);
  });

  it('serves a page that loads nothing, and runs nothing but its own', async () => {
    const { url } = await open(new VirtualTool());
    const { text, headers } = await ask(url);
    expect(headers).to.include({
      ...{ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
      ...{ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' },
    });
    expect(text).to.match(
      /^<!doctype html><html lang="en"><head><meta charset="utf-8" \/><meta http-equiv="Content-Security-Policy" content="default-src 'none';/,
    );
    expect(text).not.to.match(/https?:\/\/|innerHTML|insertAdjacent|document\.write/);
  });

  it('refuses what is no view, and what is too long', async () => {
    const { url } = await open(new VirtualTool());
    const stream = await Stream.open(url);
    const { page } = await stream.hello;
    const good = { page, sort: 'since', first: 0, rows: 9 };
    const statusOf = async (body: unknown) => (await post(`${url}view`, body)).status;
    expect(await statusOf(good)).to.equal(204);
    expect(await statusOf({ ...good, page: 'another' })).to.equal(410);
    const bad: unknown[] = [
      ...['', '{', 'null', '7', '[]', '{}'],
      ...[
        { ...good, page: 7 },
        { ...good, first: -1 },
        { ...good, rows: 201 },
        { ...good, rows: '9' },
      ],
      ...[
        { ...good, sort: 'x' },
        { ...good, waits: 'x' },
        { ...good, other: 1 },
        { ...good, since: 0.5 },
      ],
      `{"page":"${page}","sort":"since","first":0,"rows":9,"__proto__":{}}`,
      { ...good, text: 'x'.repeat(201) },
      { ...good, toString: 1 },
    ];
    for (const body of bad) expect(await statusOf(body), JSON.stringify(body)).to.equal(400);
    const huge = await statusOf('x'.repeat(5_000_000)).catch(({ code }) => code);
    expect([400, 'ECONNRESET', 'EPIPE']).to.include(huge);
    expect(await statusOf(good)).to.equal(204);
  });

  it('each page has its own view; a ninth one is refused', async () => {
    const tool = new VirtualTool();
    const { url } = await open(tool);
    for (const name of ['a', 'b']) tool.start(hang, { ...quiet, name });
    await tool.advance(1);
    const pages: Stream[] = [];
    for (let i = 0; i < 8; i++) pages.push(await Stream.open(url));
    const namesOf = (frame: { rows: { name: string }[] }) => frame.rows.map(({ name }) => name);
    expect(namesOf(await pages[0]!.seen({ text: 'b' }))).to.deep.equal(['b']);
    expect(namesOf(await pages[7]!.seen({ text: 'a' }))).to.deep.equal(['a']);
    expect(namesOf(await pages[0]!.frame())).to.deep.equal(['b']);
    expect((await ask(`${url}events`)).status).to.equal(503);
    pages[3]!.close();
    await pages[0]!.frame();
    for (;;) {
      const ninth = await Stream.open(url).catch(() => undefined);
      if (ninth !== undefined) break;
    }
  });

  it('a page that reads nothing is sent nothing more, and then the last of it', async () => {
    const tool = new VirtualTool();
    const { url } = await open(tool);
    const name = 'x'.repeat(190);
    for (let i = 0; i < 200; i++) tool.start(hang.named(name), { ...quiet, name });
    await tool.advance(1);
    const stream = await Stream.open(url);
    await stream.seen({ rows: 200 });
    stream.response.socket.pause();
    const other = await Stream.open(url);
    // Enough frames for all buffers in between.
    for (let i = 0; i < 60; i++) await other.seen({ rows: 200 });
    await tool.advance(500);
    for (let i = 0; i < 3; i++) await other.seen({});
    stream.response.socket.resume();
    await stream.frame(({ time }) => time === 501);
    expect(stream.frames).to.be.below(other.frames);
  });

  it('tells its pages when it is closed, which may be said twice', async () => {
    const tool = new VirtualTool();
    const inspector = await open(tool);
    const stream = await Stream.open(inspector.url);
    await stream.frame();
    const silent = connect(Number(new URL(inspector.url).port), '127.0.0.1');
    silent.on('error', () => {});
    await once(silent, 'connect');
    const closing = inspector.close();
    expect(inspector.close()).to.equal(closing);
    await stream.bye();
    await closing;
    await inspector.close();
    expect(tool.watching).to.equal(null);
    expect((await rejectionOf(ask(inspector.url))).code).to.equal('ECONNREFUSED');
    silent.destroy();
  });

  it('says so when its port is taken', async () => {
    const tool = new VirtualTool();
    const port = Number(new URL((await open(tool)).url).port);
    const other = new VirtualTool();
    const error = await rejectionOf(inspect(other, { port }));
    expect(error.code).to.equal('EADDRINUSE');
    expect(error.info).to.match(/^inspect: .*EADDRINUSE.*127\.0\.0\.1/);
    expect(other.watching).to.equal(null);
  });

  it('the program goes on without it when its thread dies, and is warned', async () => {
    const started = once(process, 'worker') as Promise<[Worker]>;
    const tool = new VirtualTool();
    const inspector = await open(tool);
    const [thread] = await started;
    const warned = once(process, 'warning');
    await thread.terminate();
    expect((await warned)[0].message).to.equal('the inspector has ended: it was terminated');
    expect(tool.watching).to.equal(null);
    await inspector.close();
  });

  it('two inspectors of one tool are independent', async () => {
    const tool = new VirtualTool();
    const [first, second] = [await open(tool), await open(tool)];
    expect(first.url).not.to.equal(second.url);
    tool.start(hang, { ...quiet, name: 'one' });
    await tool.advance(1);
    await first.close();
    const stream = await Stream.open(second.url);
    expect((await stream.frame()).totals.running).to.equal(1);
  });

  it('keeps the process alive only if that is asked for', async () => {
    const printed = async (options: string) => {
      const program = `
        import { open } from '${new URL('inspecting.ts', import.meta.url)}';
        import { VirtualTool } from '${new URL('../src/index.ts', import.meta.url)}';
        const inspector = await open(new VirtualTool(), ${options});
        setTimeout(() => {
          console.log('alive');
          inspector.close();
        }, 20).unref();`;
      const how = ['--import', 'tsx', '--input-type=module', '-e', program];
      return (await promisify(execFile)(process.execPath, how)).stdout;
    };
    expect(await printed('{ keepAlive: true }')).to.equal('alive\n');
    expect(await printed('{}')).to.equal('');
  });

  it('refuses what is no tool and no option', async () => {
    const refused = async (tool: unknown, options?: unknown) => {
      const error = await rejectionOf(inspect(tool as never, options as never));
      return `${error.code} ${error.info}`;
    };
    const tool = new VirtualTool();
    expect(await refused({})).to.match(/^InternalError observe: expected a tool/);
    expect(await refused(tool, 5)).to.equal('InternalError inspect: expected options');
    expect(await refused(tool, { port: -1 })).to.match(/port: expected a whole number/);
    expect(await refused(tool, { host: 5 })).to.match(/host: expected an address/);
    expect(await refused(tool, { allowCancel: 1 })).to.match(/allowCancel: expected a boolean/);
    expect(await refused(tool, { keepAlive: 1 })).to.match(/keepAlive: expected a boolean/);
    expect(await refused(tool, { ports: 1 })).to.match(/expected one of .*, got 'ports'/);
  });
});
