import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { err } from 'pino-std-serializers';
import { any, AsyncSteps, run, StepError, step, VirtualTool } from '../src/index.js';
import { bench, rejectionOf } from './bench.js';

const index = new URL('../src/index.ts', import.meta.url).href;

/** What a program of its own says when it dies. */
function lastWords(program: string, ...flags: string[]): string {
  const source = `import { AsyncSteps, StepError } from '${index}'; ${program}`;
  const args = ['--import', 'tsx', ...flags, '--input-type=module', '--eval', source];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return stdout + stderr;
}

/** A handler has replaced an AllFailed: two in `also` of its cause, one of them not ours. */
async function failed(): Promise<any> {
  const flow = new AsyncSteps();
  flow.add(
    (asi) => {
      asi.add(
        any(
          (each) => each.error('DbDown', 'eu'),
          () => {
            throw new TypeError('bug in us');
          },
        ),
      );
    },
    (asi) => asi.error('Wrapped', 'w'),
    'load',
  );
  return rejectionOf(flow.promise());
}

describe('how errors are shown', function () {
  this.timeout(120_000);

  it('an error that nobody catches says code, info and path when the process ends', () => {
    const flow =
      "new AsyncSteps().add((asi) => asi.error('NotFound', 'user 7'), undefined, 'load')";
    for (const program of [`void ${flow}.promise();`, `${flow}.execute();`]) {
      const words = lastWords(program);
      expect(words).to.include('NotFound: user 7\n    at step load');
      expect(words).not.to.include('reason ""');
    }
    expect(lastWords("void Promise.reject(new StepError('Mine', 'x'));")).to.include('Mine: x');
  });

  it('an exception that is not ours and that nobody catches says its frames and its path', () => {
    const words = lastWords(
      "new AsyncSteps().add(function load() { throw new TypeError('bug'); }, undefined, 'load').execute();",
    );
    expect(words).to.match(/TypeError: bug\n {4}at .*load[\s\S]*\n {4}at step load/);
  });

  it('also and causes are shown by consoles, stack and JSON', async () => {
    const error = await failed();
    for (const text of [inspect(error), error.stack, JSON.stringify(error)]) {
      for (const word of ['Wrapped', 'AllFailed', 'DbDown', 'eu', 'bug in us', 'load/0/|0'])
        expect(text).to.include(word);
    }
    expect(inspect(error)).not.to.match(/undefined|carry|repeats|origin/);
    expect(inspect({ a: { b: { c: error } } })).to.include('[StepError: Wrapped: w]');
    expect(JSON.parse(JSON.stringify(error)).cause.also[0]).to.deep.equal({
      name: 'StepError',
      message: 'DbDown: eu',
      code: 'DbDown',
      info: 'eu',
      path: 'load/0/|0',
    });
    expect(
      Object.hasOwn(
        await rejectionOf(new AsyncSteps().add((a) => a.error('E')).promise()),
        'cause',
      ),
    ).to.equal(false);
  });

  it("pino's serializer shows code, path and also", async () => {
    const text = JSON.stringify(err(await failed()));
    for (const word of ['Wrapped', 'AllFailed', 'DbDown', 'bug in us', 'load/0/|0'])
      expect(text).to.include(word);
  });

  it('as JSON leaves what it is made of as it is', () => {
    const also = [new Error('beside')];
    const cause = Object.assign(new Error('E'), { also });
    const error = new StepError('X', '', cause);
    expect(JSON.parse(JSON.stringify(error)).cause.also[0].message).to.equal('beside');
    expect([also.length, JSON.parse(JSON.stringify(error)).cause.also.length]).to.deep.equal([
      1, 1,
    ]);
  });

  it('as JSON is never refused, whatever its causes are like', () => {
    const circular: any = Object.assign(new Error('circular'), { status: 503 });
    circular.response = { request: { error: circular } };
    const fails = () => {
      throw new Error('unreadable');
    };
    const causes: Record<string, any> = {
      circular,
      bigint: Object.assign(new Error('bigint'), { row: 7n, status: 503 }),
      toJSON: Object.assign(new Error('toJSON'), { status: 503, toJSON: fails }),
      inside: Object.assign(new Error('inside'), { at: { toJSON: fails }, status: 503 }),
      getter: Object.defineProperty(Object.assign(new Error('getter'), { status: 503 }), 'other', {
        enumerable: true,
        get: fails,
      }),
    };
    for (const [message, cause] of Object.entries(causes)) {
      const { cause: shown } = JSON.parse(JSON.stringify(new StepError('E', '', cause)));
      expect([shown.message, shown.status]).to.deep.equal([message, 503]);
    }
    expect(JSON.parse(JSON.stringify(new StepError('E', '', causes['bigint']))).cause.row).to.equal(
      '7',
    );
    const own = Object.assign(new StepError('E', 'i'), { row: 7n, circular: [{ circular }] });
    own.circular.push(own.circular as never);
    expect(JSON.parse(JSON.stringify(own))).to.include({ code: 'E', info: 'i', row: '7' });
    for (const cause of [circular.response, 7n, 0n, { row: 7n }, { toJSON: fails }])
      expect(JSON.parse(JSON.stringify(new StepError('E', 'i', cause)))).to.include({
        code: 'E',
        info: 'i',
        cause: typeof cause === 'bigint' ? `${cause}` : 'object',
      });
  });

  it('as JSON ends, though what hangs on a cause leads back to the error', () => {
    const cause: any = new Error('native');
    const error = new StepError('E', 'i', cause);
    cause.context = { errors: [error, new StepError('Inner', '', error)] };
    cause.other = [error];
    const json = JSON.parse(JSON.stringify({ error, again: error }));
    expect(json.again).to.deep.equal(json.error);
    expect(json.error.cause.context.errors).to.deep.equal(['StepError: E: i', 'StepError: Inner']);
  });

  it('errors of another realm are causes as all others', () => {
    const cause = runInNewContext("Object.assign(new TypeError('elsewhere'), { status: 503 })");
    const error = new StepError('E', '', cause);
    expect(error.stack).to.include('cause: TypeError: elsewhere\n');
    expect(JSON.parse(JSON.stringify(error)).cause).to.deep.equal({
      name: 'TypeError',
      message: 'elsewhere',
      status: 503,
    });
  });

  it('a long chain of causes, and a circle, are shown in part', () => {
    const circle = new StepError('Circle');
    circle.cause = circle;
    let chain = new StepError('E0');
    for (let i = 1; i < 50_000; i++) chain = new StepError(`E${i}`, '', chain);
    for (const error of [circle, chain]) {
      expect(error.stack.length).to.be.lessThan(5000);
      expect(inspect(error).length).to.be.lessThan(5000);
      expect(JSON.stringify(error).length).to.be.lessThan(5000);
    }
  });

  it('whatever the program has hung on an error, its stack can be read', () => {
    const hostile = Object.defineProperty(new Error('hostile'), 'stack', {
      get() {
        throw new Error('unreadable');
      },
    });
    for (const cause of [hostile, null, 5, 'text', Object.create(null), Symbol('s')]) {
      const error = new StepError('E', '', cause);
      expect(error.stack).to.include('StepError: E');
      expect(JSON.stringify(error)).to.include('"E"');
    }
  });

  it('an error of a worker thread arrives as an Error with code, info and path', async () => {
    const source = `import('tsx/esm/api').then(({ register }) => {
      register();
      return import(${JSON.stringify(index)});
    }).then(({ AsyncSteps }) =>
      new AsyncSteps().add((asi) => asi.error('InWorker', 'why'), undefined, 'load').execute());`;
    const worker = new Worker(source, { eval: true });
    const error = await new Promise<any>((resolve) => worker.on('error', resolve));
    expect(error).to.be.instanceOf(Error);
    expect([error.code, error.info, error.path, error.message]).to.deep.equal([
      'InWorker',
      'why',
      'load',
      'InWorker: why',
    ]);
  });

  it('a test of node:test that fails with a StepError shows code and path', () => {
    const words = lastWords(
      `import { test } from 'node:test';
       test('t', () => new AsyncSteps().add((asi) => asi.error('NotFound', 'user 7'), undefined, 'load').promise());`,
    );
    expect(words).to.match(/NotFound: user 7[\s\S]*step load/);
  });

  it("an error that nobody catches isn't swallowed by node:test's timers", () => {
    const words = lastWords(
      `import { mock } from 'node:test'; mock.timers.enable();
       new AsyncSteps().add((asi) => asi.error('NotFound')).execute();`,
    );
    expect(words).to.include('NotFound');
  });

  it('what an error says may be assigned, as with any error', async () => {
    const error = await failed();
    for (const name of ['message', 'name', 'path', 'also', 'stack']) {
      error[name] = `my ${name}`;
      expect(error[name]).to.equal(`my ${name}`);
      expect(Object.keys(error)).not.to.include(name);
    }
    const other = new StepError('E');
    other.message = 'loading: E';
    expect(other.stack).to.equal('StepError: loading: E');
  });

  it('the StepError of an exception that is not ours has its code, path and also', async () => {
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    let within: unknown;
    const { flow, run } = bench();
    flow.add(
      (asi) => {
        asi.defer((cleanup) => cleanup.error('Late'));
        throw refused;
      },
      () => {
        within = StepError.of(refused)?.path;
      },
      'load',
    );
    const error = (await run())?.error as Error;
    expect(error).to.equal(refused);
    const record = StepError.of(error)!;
    expect([within, record.code, record.info, record.path, record.cause]).to.deep.equal([
      'load',
      'ECONNREFUSED',
      'refused',
      'load',
      refused,
    ]);
    expect((record.also as StepError[]).map(({ code }) => code)).to.deep.equal(['Late']);
    expect(StepError.of(record)).to.equal(record);
    for (const no of [new Error('never thrown'), null, undefined, 5, 'E'])
      expect(StepError.of(no)).to.equal(undefined);
  });

  it('also of an exception that two flows share belongs to each of them', async () => {
    const shared = Promise.reject(Object.assign(new RangeError('refused'), { code: 'Refused' }));
    const failWith = (name: string) => {
      const flow = new AsyncSteps();
      flow.add((asi) => {
        asi.defer((cleanup) => cleanup.error(name));
        asi.await(shared);
      });
      return rejectionOf(flow.promise());
    };
    const errors = await Promise.all(['A', 'B', 'C'].map(failWith));
    expect(errors.map(({ also }) => also.map((each: StepError) => each.code))).to.deep.equal([
      ['A'],
      ['B'],
      ['C'],
    ]);
    for (const error of errors) {
      expect(error).to.be.instanceOf(RangeError);
      expect([error.code, error.message, typeof error.stack]).to.deep.equal([
        'Refused',
        'refused',
        'string',
      ]);
    }
  });

  it('a console shows the path of an error that fetch has given other frames', async () => {
    const server = createServer().listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const tool = new VirtualTool();
    let asked: Promise<any> = Promise.resolve();
    const ask = step((asi) => {
      asked = rejectionOf(fetch(`http://127.0.0.1:${port}/`, { signal: asi.signal }));
      return asked;
    }).named('ask');
    const failed = rejectionOf(run(ask.timeout(5), { tool }));
    await tool.advance(5);
    const error = await asked;
    server.closeAllConnections();
    server.close();
    expect(await failed).to.equal(error);
    expect(error.path).to.equal('ask');
    expect(inspect(error)).to.match(
      /^StepError: Timeout\n[\s\S]* {4}at step ask \{ code: 'Timeout'/,
    );
    error.stack = 'mine';
    expect(inspect(error)).to.match(/^mine\n {4}at step ask \{/);
    expect(inspect(StepError.prototype)).to.be.a('string');
  });

  it('an error keeps its frames if its flow is asked to', async () => {
    const raise = (captureStacks: boolean) =>
      rejectionOf(
        new AsyncSteps({ captureStacks })
          .add(function findUser(asi) {
            asi.error('NotFound');
          })
          .newInstance()
          .add(function findUser(asi) {
            asi.error('NotFound');
          })
          .promise(),
      );
    expect((await raise(true)).stack).to.match(
      /^StepError: NotFound\n {4}at step 0\n {4}at .*findUser.*errortext\.test\.ts/,
    );
    expect((await raise(false)).stack).to.equal('StepError: NotFound\n    at step 0');
  });
});
