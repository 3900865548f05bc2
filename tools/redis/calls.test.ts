import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Calls } from '../../js/redis/calls.js';
import { until } from '../../js/redis/jobs.js';
import { Program } from '../../js/redis/workers.js';
import { delay, type IAsyncSteps, run, type StepError, step, steps } from '../../js/src/index.js';
import { call, type RedisService, type ServedCall } from '../../js/src/redis.js';

const program = fileURLToPath(
  new URL('../../build/dev/cpp/examples/calls/calls-peer', import.meta.url),
);

interface Books {
  quote(isbn: string, copies: number): { isbn: string; total: number; trace: string };
  work(ms: number): string;
}

const lease = 1000;

/** The example in C++, and what it says. */
class CppPeer {
  readonly lines: string[] = [];
  readonly ended: Promise<unknown>;
  readonly #child: ChildProcess;

  constructor(args: readonly string[]) {
    this.#child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.ended = once(this.#child, 'close');
    createInterface(this.#child.stdout!).on('line', (line) => this.lines.push(line));
  }

  said(what: string): number {
    return this.lines.filter((line) => line.startsWith(what)).length;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** How its call ended. */
  async result(): Promise<string | undefined> {
    await this.ended;
    return this.lines.at(-1);
  }
}

describe('calls between JavaScript and C++', function () {
  this.timeout(60_000);
  const calls = new Calls();
  const children: (CppPeer | Program)[] = [];
  let books: RedisService<Books>;
  let [begun, left] = [0, 0];

  const keep = <P extends CppPeer | Program>(child: P): P => {
    children.push(child);
    return child;
  };
  const inCpp = (...more: string[]): CppPeer =>
    keep(new CppPeer([`${calls.server.port}`, books.name, `${lease}`, ...more]));
  const served = async (): Promise<CppPeer> => {
    const peer = inCpp();
    await until(() => peer.said('ready') === 1);
    return peer;
  };
  const serveInJs = () => {
    const ask = step((asi, isbn: string) => {
      if (isbn !== '978') asi.error('NotFound', `no book ${isbn}`);
    }).named('ask');
    calls.serve(
      books,
      {
        quote: step((asi: IAsyncSteps, [isbn, copies]: [string, number], served: ServedCall) => {
          const trace = served.traceparent;
          asi.add(ask.with(isbn)).add(() => ({ isbn, total: 7 * copies, trace }));
        }).named('quote'),
        work: (asi, [ms]) => {
          begun++;
          const isLimited = asi.remaining() <= 5000;
          asi.setCancel(() => void left++);
          return steps(delay(ms), () => `done, ${isLimited}`);
        },
      },
      { report: () => {} },
    );
  };
  const failureOf = (made: Promise<unknown>): Promise<StepError> =>
    made.then(
      () => expect.fail('it has not failed'),
      (error) => error,
    );

  beforeEach(() => {
    books = calls.service<Books>({ lease });
    [begun, left] = [0, 0];
  });
  afterEach(async () => {
    for (const child of children) child.signal('SIGKILL');
    await Promise.all(children.splice(0).map(({ ended }) => ended));
  });

  it('leave values, and fail with code, info, and a path that goes on, in C++', async () => {
    await served();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const quoted = call(books, 'quote', ['978', 2], { traceparent });
    expect(await run(quoted)).to.deep.equal({ isbn: '978', total: 14, trace: traceparent });
    const many = Array.from({ length: 200 }, (_, n) => run(call(books, 'quote', ['978', n])));
    expect((await Promise.all(many)).map(({ total }) => total)).to.deep.equal(
      many.map((_, n) => 7 * n),
    );
    const page = step((asi) => void asi.add(call(books, 'quote', ['1', 1]))).named('page');
    expect(await failureOf(run(page))).to.include({
      code: 'NotFound',
      info: 'no book 1',
      path: `page/${books.name}.quote/quote/ask`,
    });
    const wrong = call(books, 'quote', ['978', 'two' as never]);
    expect((await failureOf(run(wrong))).code).to.equal('InvalidCall');
    const unknown = call(books, 'play' as never, [] as never);
    expect((await failureOf(run(unknown))).code).to.equal('UnknownMethod');
  });

  it('leave values, and fail with code, info, and a path that goes on, in JavaScript', async () => {
    serveInJs();
    const value = JSON.stringify({ isbn: '978', total: 21, trace: '' });
    expect(await inCpp('quote', '["978", 3]').result()).to.equal(`reply ${value}`);
    const path = `${books.name}.quote/quote/ask`;
    const failed = await inCpp('quote', '["1", 3]').result();
    expect(failed).to.match(/^error page\/\S*/);
    expect(failed!.endsWith(`${path}: NotFound: no book 1`)).to.equal(true);
    const unknown = await inCpp('play', '[]').result();
    expect(unknown).to.match(/: UnknownMethod: /);
  });

  it('have the time that is left over there, and are cancelled there, in C++', async () => {
    const peer = await served();
    const over = run(call(books, 'work', [60_000]).timeout(300));
    await until(() => peer.said('begins') === 1);
    const [, ms] = peer.lines.find((line) => line.startsWith('begins'))!.split(' ');
    expect(Number(ms)).to.be.within(1, 300);
    expect((await failureOf(over)).code).to.equal('Timeout');
    await until(() => peer.said('left') === 1);
    expect(await run(call(books, 'work', [1]))).to.equal('done');
    await until(() => peer.said('ends') === 1);
    expect(peer.lines.at(-2)).to.equal('begins -1');
  });

  it('have the time that is left over there, and are cancelled there, in JavaScript', async () => {
    serveInJs();
    expect(await inCpp('work', '[1]', '5000').result()).to.equal('reply "done, true"');
    const over = inCpp('work', '[60000]', '300');
    await until(() => begun === 2);
    expect(await over.result()).to.match(/^error page: Timeout/);
    await until(() => left === 1);
  });

  it('are lost when the server in C++ is killed, and cancelled there when the caller is', async () => {
    const killed = await served();
    const lost = failureOf(run(call(books, 'work', [60_000])));
    await until(() => killed.said('begins') === 1);
    killed.signal('SIGKILL');
    expect((await lost).code).to.equal('CallLost');
    const peer = await served();
    const own = { service: { lease }, ms: 60_000 };
    const caller = keep(
      new Program('callprocess', ['caller', calls.server.url, books.name, JSON.stringify(own)]),
    );
    await until(() => peer.said('begins') === 1);
    caller.signal('SIGKILL');
    const at = Date.now();
    await until(() => peer.said('left') === 1);
    expect(Date.now() - at).to.be.below(lease + 300);
  });

  it('are cancelled when the caller in C++ is killed, and lost there when the server is', async () => {
    serveInJs();
    const caller = inCpp('work', '[60000]');
    await until(() => begun === 1);
    caller.signal('SIGKILL');
    await until(() => left === 1);
    const other = calls.service<Books>({ lease });
    const own = { service: { lease } };
    const server = keep(
      new Program('callprocess', ['server', calls.server.url, other.name, JSON.stringify(own)]),
    );
    books = other;
    const lost = inCpp('work', '[60000]');
    await until(() => server.said('begins') === 1);
    server.signal('SIGKILL');
    expect(await lost.result()).to.match(/: CallLost: /);
  });

  it('go on when Redis was killed and started again, and a drain ends them', async () => {
    const peer = await served();
    const lost = failureOf(run(call(books, 'work', [60_000])));
    await until(() => peer.said('begins') === 1);
    await calls.server.kill();
    await calls.server.start();
    expect((await lost).code).to.equal('CallLost');
    await until(() => peer.said('left') === 1);
    const again = async () => {
      const code = await run(call(books, 'quote', ['978', 1])).then(
        () => 'ok',
        (error) => error.code,
      );
      return code === 'ok';
    };
    await until(again);
    const cut = failureOf(run(call(books, 'work', [60_000])));
    await until(() => peer.said('begins') === 2);
    peer.signal('SIGTERM');
    expect((await cut).code).to.equal('CallLost');
    await peer.ended;
    expect(peer.lines.slice(-2)).to.deep.equal(['left', 'cancelled 1']);
  });
});
