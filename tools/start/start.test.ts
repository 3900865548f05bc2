import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { ask, Stream } from '../../js/test/inspecting.js';
import { buildCppServer } from '../resp/build.js';
import { expectGone, root, Run, shell } from './running.js';

describe('npm start', function () {
  this.timeout(600_000);
  let run: Run | undefined;
  before(() => buildCppServer(() => {}));
  afterEach(() => run?.kill());

  for (const how of ['Ctrl-C', 'SIGTERM'] as const) {
    it(`--inspect: the pages of both servers stay, each with the client that is stuck, until ${how}; then nothing is left`, async () => {
      run = new Run('--inspect');
      const pids = await run.pids();
      const streams: Stream[] = [];
      for (const url of await run.urls()) {
        const page = await ask(url);
        expect(page).to.include({ status: 200 });
        expect(page.text).to.include('<title>steptree</title>');
        const stream = await Stream.open(url);
        streams.push(stream);
        // A connection that has asked for the flows may still be there.
        const { rows } = await stream.frame(({ rows }) => rows.length === 1);
        expect(rows.map(({ name, path, waits }) => [name, path, waits?.for])).to.deep.equal([
          ['client', '0/serve/0/#0/command/1/blpop', 'completion'],
        ]);
      }
      run.interrupt(how);
      for (const stream of streams) await stream.bye();
      const code = await run.end();
      expect(code, run.said.join('\n')).to.equal(0);
      expect(run.said.at(-1)).to.match(/^equal and clean, /);
      expectGone(pids);
    });
  }

  it('--inspect: if a server dies that is said, and the other one is ended', async () => {
    run = new Run('--inspect');
    const pids = await run.pids();
    await run.urls();
    process.kill(pids[1]!, 'SIGKILL');
    expect(await run.end()).to.equal(1);
    expect(run.said.slice(-3)).to.deep.equal([
      ...['    the C++ server ended: SIGKILL', '', 'failed: the C++ server ended with SIGKILL'],
    ]);
    expectGone(pids);
  });

  it('says which options there are to who gives another one', () => {
    const options = { cwd: root, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync('sh', shell('--inspector'), options);
    expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
    expect(stderr).to.equal(
      'npm start: unknown option --inspector; there are --inspect, all and redis\n',
    );
  });
});
