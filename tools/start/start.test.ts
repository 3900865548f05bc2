import { expect } from 'chai';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ask, Stream } from '../../js/test/inspecting.js';
import { buildCppServer } from '../resp/build.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** As npm runs it, on a machine that is set up. */
const shell = (options: string) => [
  '-c',
  `${scripts.start.replace('tools/setup start', 'true')} ${options}`,
];

/** What is running, with what it has said. */
class Run {
  readonly said: string[] = [];
  private readonly child: ChildProcess;
  private readonly exit: Promise<unknown[]>;
  private readonly lines: AsyncIterator<string>;

  /** In a process group of its own, as a terminal has it. */
  constructor(options: string) {
    this.child = spawn('sh', shell(options), {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.exit = once(this.child, 'exit');
    this.lines = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]();
  }

  /** The next line that is like that. */
  async line(form: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) throw new Error(`no ${form} in:\n${this.said.join('\n')}`);
      this.said.push(value);
      const found = form.exec(value);
      if (found !== null) return found;
    }
  }

  /** Of both servers, when both have been started. */
  async pids(): Promise<number[]> {
    const pids: number[] = [];
    for (const name of ['JavaScript', 'C\\+\\+']) {
      const [, pid] = await this.line(
        RegExp(`^ +${name} +127\\.0\\.0\\.1:\\d+ +\\(pid (\\d+)\\)$`),
      );
      pids.push(Number(pid));
    }
    return pids;
  }

  /** Of both servers, when their pages stay. */
  async urls(): Promise<string[]> {
    await this.line(/^ +look at both, each with the client that is stuck, until Ctrl-C:$/);
    const urls: string[] = [];
    for (const name of ['JavaScript', 'C\\+\\+']) {
      const [, url] = await this.line(RegExp(`^ +${name} +(http://127\\.0\\.0\\.1:\\d+/\\S+/)$`));
      urls.push(url!);
    }
    return urls;
  }

  /** Ctrl-C, which all of the group get, or what npm hands on to the one that it runs. */
  interrupt(how: 'Ctrl-C' | 'SIGTERM'): void {
    if (how === 'SIGTERM') this.child.kill(how);
    else process.kill(-this.child.pid!, 'SIGINT');
  }

  /** Its exit code. */
  async end(): Promise<unknown> {
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) break;
      this.said.push(value);
    }
    const [code] = await this.exit;
    return code;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

function expectGone(pids: readonly number[]): void {
  for (const pid of pids) expect(() => process.kill(pid, 0)).to.throw('ESRCH');
}

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
    expect(stderr).to.equal('npm start: unknown option --inspector; there is --inspect\n');
  });
});
