// The example, with servers and a client that are real, on the loopback interface.

import { once } from 'node:events';
import { createServer, get, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { fanout, type FanoutOptions } from '../examples/fanout/fanout.js';

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await delay(1);
}

/** Says nothing till it is told to, and sees who hangs up. */
class Upstream {
  readonly asked: ServerResponse[] = [];
  hungUp = 0;
  readonly server = createServer((_request, response) => {
    this.asked.push(response);
    response.once('close', () => {
      if (!response.writableFinished) this.hungUp++;
    });
  });

  say(status: number, body: unknown): void {
    this.asked.at(-1)!.writeHead(status).end(JSON.stringify(body));
  }
}

async function urlOf(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('the example fanout', function () {
  this.timeout(60_000);
  let servers: Server[] = [];

  async function start(options: Partial<FanoutOptions> = {}) {
    const upstreams = { a: new Upstream(), b: new Upstream(), c: new Upstream() };
    const all = Object.values(upstreams);
    const urls: Record<string, string> = {};
    for (const [name, { server }] of Object.entries(upstreams)) urls[name] = await urlOf(server);
    const limits = { concurrent: 10, rate: 1000 };
    const service = fanout({ upstreams: urls, deadline: 30_000, limits, ...options });
    servers = [service, ...all.map(({ server }) => server)];
    const url = await urlOf(service);
    const ask = async () => {
      const response = await fetch(url);
      return [response.status, await response.json()];
    };
    const asked = (n = 1) => until(() => all.every((upstream) => upstream.asked.length === n));
    const hungUp = () => all.map((upstream) => upstream.hungUp);
    return { ...upstreams, url, ask, asked, hungUp };
  }

  afterEach(() => {
    for (const server of servers) server.close().closeAllConnections();
  });

  it('asks all upstreams at once and answers with what they said', async () => {
    const { a, b, c, ask, asked, hungUp } = await start();
    const answer = ask();
    await asked();
    for (const [upstream, said] of [[c, 3] as const, [a, 1] as const, [b, 2] as const])
      upstream.say(200, said);
    expect(await answer).to.deep.equal([200, { a: 1, b: 2, c: 3 }]);
    expect(hungUp()).to.deep.equal([0, 0, 0]);
  });

  it('hangs up on all upstreams when the client hangs up', async () => {
    const { url, asked, hungUp } = await start();
    const client = get(url).on('error', () => {});
    await asked();
    client.destroy();
    await until(() => hungUp().every((n) => n === 1));
  });

  it('hangs up in the middle of an answer, too', async () => {
    const { a, url, asked, hungUp } = await start();
    const client = get(url).on('error', () => {});
    await asked();
    a.asked[0]!.writeHead(200).write('{');
    client.destroy();
    await until(() => hungUp().every((n) => n === 1));
  });

  it('answers 504 at the deadline, and hangs up on who has not answered', async () => {
    const { a, c, ask, hungUp } = await start({ deadline: 1000 });
    const answer = ask();
    await until(() => a.asked.length + c.asked.length === 2);
    a.say(200, 1);
    c.say(200, 3);
    expect(await answer).to.deep.equal([504, { error: 'Timeout' }]);
    await until(() => hungUp()[1] === 1);
    expect(hungUp()).to.deep.equal([0, 1, 0]);
  });

  it('answers 502 when an upstream fails, and hangs up on the others', async () => {
    const { b, ask, asked, hungUp } = await start();
    const answer = ask();
    await asked();
    b.say(500, 'no');
    expect(await answer).to.deep.equal([502, { error: 'UpstreamFailed' }]);
    await until(() => hungUp()[0] === 1 && hungUp()[2] === 1);
    expect(hungUp()).to.deep.equal([1, 0, 1]);
  });

  it('answers 503 at once when there are too many, and serves the next when one is done', async () => {
    const { a, b, c, ask, asked } = await start({ limits: { concurrent: 1, maxQueue: 0 } });
    const first = ask();
    await asked();
    expect(await ask()).to.deep.equal([503, { error: 'DefenseRejected' }]);
    for (const upstream of [a, b, c]) upstream.say(200, 1);
    expect((await first)[0]).to.equal(200);
    const third = ask();
    await asked(2);
    for (const upstream of [a, b, c]) upstream.say(200, 3);
    expect(await third).to.deep.equal([200, { a: 3, b: 3, c: 3 }]);
  });
});
