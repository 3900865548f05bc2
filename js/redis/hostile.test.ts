import { expect } from 'chai';
import { enqueue, type JobQueueOptions, worker, type WorkerOptions } from '../src/redis.js';
import { Jobs, until } from './jobs.js';

describe('what anybody has written into a queue', () => {
  const jobs = new Jobs();

  /** What becomes of a job that is written so, and of one behind it, which has to be done. */
  async function fate(
    write: (base: string, send: (...args: string[]) => Promise<unknown>) => Promise<unknown>,
    options: JobQueueOptions = {},
    own: WorkerOptions = {},
  ): Promise<string[]> {
    const queue = jobs.queue(options);
    await write(queue.base, (command, ...args) => jobs.shop.command(queue.base, command, ...args));
    await enqueue(queue, 'good');
    let done = 0;
    jobs.keep(worker(queue, (_asi, payload) => void (payload === 'good' && done++), own));
    await until(() => done === 1);
    await until(async () => (await queue.counts()).run === 0);
    expect(await jobs.shop.command(queue.base, 'XLEN', `${queue.base}:ready`)).to.equal(0);
    return (await queue.dead()).map(({ code, info, text }) => `${code}: ${info}: ${text}`);
  }

  const payload =
    (text: string, fields: string[] = ['v', '1']) =>
    async (base: string, send: (...args: string[]) => Promise<unknown>) => {
      await send('HSET', `${base}:job:x`, ...fields, 'payload', text);
      await send('INCR', `${base}:size`);
      await send('XADD', `${base}:ready`, '*', 'id', 'x');
    };

  it('is a dead letter if it is too large, which is not even sent to the worker', async () => {
    const long = JSON.stringify('x'.repeat(99));
    expect(await fate(payload(long), { maxBytes: 100 })).to.deep.equal([
      'InvalidJob: its payload has 101 bytes: undefined',
    ]);
  });

  it('is a dead letter if it is too deep, however deep', async () => {
    for (const depth of [4, 100_000]) {
      const deep = '['.repeat(depth) + ']'.repeat(depth);
      expect(await fate(payload(deep), { maxDepth: 3 })).to.deep.equal([
        `InvalidJob: its payload is more than 3 levels deep: ${deep}`,
      ]);
    }
    const flat = JSON.stringify(['[[[[', '\\"{{{{', [[1]], { a: [1] }]);
    expect(await fate(payload(flat), { maxDepth: 3 })).to.deep.equal([]);
  });

  it('is a dead letter if it is no JSON, or none that the handler accepts', async () => {
    for (const text of ['', '{', 'NaN', '{"a":1}}', '\u0000'])
      expect(await fate(payload(text))).to.deep.equal([
        `InvalidJob: its payload is no JSON: ${text}`,
      ]);
    const accepts = (payload: unknown) => typeof payload === 'string';
    expect(await fate(payload('[1]'), {}, { accepts })).to.deep.equal([
      'InvalidJob: the handler does not accept its payload: [1]',
    ]);
    const throws = (payload: unknown) => (payload as string).length === 4;
    expect((await fate(payload('null'), {}, { accepts: throws }))[0]).to.match(
      /^InvalidJob: Cannot/,
    );
  });

  it('is a dead letter if its version is newer than the handler, or its format another one', async () => {
    expect(await fate(payload('1', ['v', '1', 'version', '3']), {}, { version: 2 })).to.deep.equal([
      'InvalidJob: its version is 3, the handler knows 2: 1',
    ]);
    expect(await fate(payload('1', ['v', '2']))).to.deep.equal([
      'InvalidJob: its format is not 1: 1',
    ]);
  });

  it('is a job without known causes if these are no errors', async () => {
    const seen: unknown[] = [];
    const causes = '[1,{"attempt":{"valueOf":1,"toString":1},"code":{"toString":1},"info":7}]';
    const own = payload('1', ['v', '1', 'causes', causes]);
    const queue = jobs.queue();
    await own(queue.base, (command, ...args) => jobs.shop.command(queue.base, command, ...args));
    jobs.keep(worker(queue, (_asi, _payload, job) => void seen.push(job.causes)));
    await until(() => seen.length === 1);
    expect(seen).to.deep.equal([[{ attempt: 0, code: '', info: '', path: '' }]]);
  });

  it('stops nothing if it is no job at all', async () => {
    const odd = await fate(async (base, send) => {
      await send('XADD', `${base}:ready`, '*', 'what', 'ever');
      await send('XADD', `${base}:ready`, '*', 'id', 'nowhere');
      await send('SET', `${base}:job:text`, 'no hash');
      await send('XADD', `${base}:ready`, '*', 'id', 'text');
      await send(
        'HSET',
        `${base}:job:odd`,
        'v',
        '1',
        'payload',
        '1',
        'deadline',
        'soon',
        'attempts',
        'x',
      );
      await send('HSET', `${base}:job:odd`, 'causes', '{"a":', 'version', 'new', 'losses', 'many');
      await send('XADD', `${base}:ready`, '*', 'id', 'odd');
    });
    expect(odd).to.deep.equal([
      'Timeout: its deadline has passed before it began: 1',
      'InvalidJob: it is no job: undefined',
    ]);
  });

  it('reaches objects as values only', async () => {
    const queue = jobs.queue();
    await payload('{"__proto__":{"polluted":1}}')(queue.base, (command, ...args) =>
      jobs.shop.command(queue.base, command!, ...args),
    );
    let seen: unknown;
    jobs.keep(worker(queue, (_asi, found: object) => void (seen = found)));
    await until(() => seen !== undefined);
    expect(Object.keys(seen as object)).to.deep.equal(['__proto__']);
    expect(({} as any).polluted).to.equal(undefined);
  });
});
