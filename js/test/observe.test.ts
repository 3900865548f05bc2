import { expect } from 'chai';
import {
  all,
  AsyncSteps,
  AsyncTool,
  delay,
  type FlowEvent,
  type Handle,
  type IAsyncSteps,
  Mutex,
  observe,
  run,
  Scope,
  snapshot,
  step,
  StepError,
  steps,
  sync,
  type VirtualTool,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';
import { gc } from './gc.js';
import { fill, world } from './contexts.js';

const wait = (asi: IAsyncSteps) => void asi.waitExternal();
const nothing = () => {};

/** Each event in a word or two. */
function words(tool: VirtualTool, options?: { bodies: boolean }): string[] {
  const said: string[] = [];
  observe(tool, (event) => said.push(wordsOf(event)), options);
  return said;
}

function wordsOf(event: FlowEvent): string {
  const { what, path, outcome } = event as FlowEvent & { outcome?: string };
  return [what, path, outcome].filter(Boolean).join(' ');
}

/** Some of all. */
function fillWith(flow: AsyncSteps, mutex: Mutex, fails: boolean): void {
  flow.add((asi) => {
    asi.add(
      (inner) => inner.error('E'),
      (inner) => inner.success(),
    );
    asi.repeat(2, (inner) => void inner.add(nothing));
    const branches = asi.parallel();
    for (let i = 0; i < 2; i++) {
      branches.sync(mutex, (inner) => {
        inner.setCancel(nothing);
        inner.add(
          (waits) => void waits.setTimeout(5),
          (waits) => waits.success(),
        );
      });
    }
  });
  flow.add(steps(steps(nothing, nothing), delay(1)));
  flow.add((asi) => {
    asi.add(nothing);
    if (fails) asi.add((inner) => inner.error('E'));
  });
}

/** The paths of those that have opened, and not closed. */
function opened(said: readonly string[]): string[] {
  const open: string[] = [];
  for (const [what, path] of said.map((each) => each.split(' '))) {
    if (what === 'opened') open.push(path!);
    if (what !== 'closed') continue;
    expect(open.some((other) => other.startsWith(`${path}/`))).to.equal(false);
    open.splice(open.lastIndexOf(path!), 1);
  }
  return open;
}

describe('observe', function () {
  this.timeout(60_000);

  it('an event says what happened, when and where', async () => {
    const { tool } = bench();
    const seen: object[] = [];
    observe(tool, (event) => {
      const { what, time, sequence, flow } = event;
      if (what === 'opened')
        seen.push({ what, path: event.path, element: event.element, kind: event.kind });
      else if (what === 'waits') seen.push({ what, path: event.path, waits: event.waits });
      else if (what === 'handler') seen.push({ what, path: event.path, code: event.code });
      else if (what === 'closed')
        seen.push({
          what,
          element: event.element,
          outcome: event.outcome,
          code: event.code,
        });
      else if (what === 'ended') seen.push({ what, outcome: event.outcome, code: event.code });
      else seen.push({ what, time, sequence, name: flow.name, id: flow.id });
    });
    await tool.advance(7);
    const flow = new AsyncSteps({ tool, name: 'page', unhandled: nothing });
    flow.add(
      (asi) => void asi.setTimeout(5),
      () => {},
      'n',
    );
    flow.execute();
    const { id } = snapshot(flow);
    await tool.run();
    expect(seen).to.deep.equal([
      { what: 'begun', time: 7, sequence: 1, name: 'page', id },
      { what: 'turn', time: 7, sequence: 2, name: 'page', id },
      { what: 'opened', path: 'n', element: 'n', kind: 'step' },
      { what: 'waits', path: 'n', waits: { for: 'success' } },
      { what: 'handler', path: 'n', code: 'Timeout' },
      { what: 'closed', element: 'n', outcome: 'error', code: 'Timeout' },
      { what: 'ended', outcome: 'error', code: 'Timeout' },
    ]);
  });

  it('an event gives what can be kept', async () => {
    const { tool } = bench();
    const kept: object[] = [];
    observe(tool, (event) => kept.push(event.toJSON()));
    const flow = new AsyncSteps({ tool, name: 'f', unhandled: () => {} });
    const limited = (asi: IAsyncSteps) => {
      asi.setTimeout(5);
      asi.waitExternal();
    };
    flow.add(limited, undefined, 'n').execute();
    await tool.run();
    const { id } = snapshot(flow);
    const common = { flow: { id, name: 'f' }, step: 3, parent: 0, path: 'n' };
    expect(JSON.parse(JSON.stringify(kept[3]))).to.deep.equal({
      what: 'waits',
      time: 0,
      sequence: 4,
      ...common,
      waits: { for: 'completion' },
    });
    expect(JSON.parse(JSON.stringify(kept[4]))).to.deep.equal({
      what: 'closed',
      time: 5,
      sequence: 5,
      ...common,
      element: 'n',
      outcome: 'error',
      code: 'Timeout',
    });
    expect(JSON.stringify(kept[5])).to.match(/"ended".*"path":""/);
  });

  it('what happens in a turn has the time of its first event', async () => {
    const tool = new AsyncTool();
    const times: number[] = [];
    observe(tool, ({ time }) => times.push(time));
    const busy = () => {
      const until = performance.now() + 5;
      while (performance.now() < until);
    };
    await run(steps(busy, busy), { tool });
    const [begun, turn, ...others] = times as [number, number, ...number[]];
    expect(others.filter((time) => time !== turn)).to.deep.equal([]);
    await run(step(busy), { tool });
    expect(times.at(-1)).to.be.at.least(begun + 10);
    times.length = 0;
    observe(tool, () => {}, { bodies: true });
    await run(step(busy), { tool });
    expect(times.at(-1)).to.be.at.least(times[0]! + 5); // of the body that has returned
  });

  it('events say which step they are of, and which is around it', async () => {
    const { tool } = bench();
    const open = new Map<number, { path: string; parent: number }>();
    const seen = new Set<string>();
    observe(
      tool,
      (event) => {
        seen.add(event.what);
        if (event.what === 'begun' || event.what === 'ended')
          return expect([event.step, event.parent, event.path]).to.deep.equal([0, 0, '']);
        const { what, step: number, parent, path } = event;
        if (what === 'opened') {
          expect(open.has(number)).to.equal(false);
          open.set(number, { path, parent });
          const around = open.get(parent)?.path;
          expect(path).to.equal(
            around === undefined ? event.element : `${around}/${event.element}`,
          );
        }
        if (number !== 0) expect(open.get(number)).to.deep.equal({ path, parent });
        else expect([what, path, parent]).to.deep.equal(['turn', '', 0]);
        if (what === 'closed') expect(open.delete(number)).to.equal(true);
      },
      { bodies: true },
    );
    tool.start(
      steps(
        nothing,
        steps(nothing, delay(1)),
        all(step(nothing).timeout(5), steps(delay(1), nothing), sync(new Mutex(), delay(2))),
        step((asi) => void asi.add((inner) => inner.error('E')).setCancel(nothing)).onError((asi) =>
          asi.success(),
        ),
      ),
    );
    await tool.run();
    expect(open.size).to.equal(0);
    expect(seen.size).to.equal(10);
  });

  it('what observe returns ends it, for that observer alone', async () => {
    const { tool, flow } = bench();
    const first: string[] = [];
    const second: string[] = [];
    const watching = observe(tool, ({ what }) => first.push(what));
    const other = observe(tool, ({ what }) => second.push(what), { bodies: true });
    flow.add(nothing).add((asi) => {
      expect(watching.valid()).to.equal(true);
      watching.cancel();
      asi.add(nothing);
    });
    flow.execute();
    await tool.run();
    expect(watching.valid()).to.equal(false);
    expect(other.valid()).to.equal(true);
    expect(first).to.deep.equal(['begun', 'turn', 'opened', 'closed', 'opened']);
    expect(second.filter((what) => what !== 'body' && what !== 'returned')).to.deep.equal([
      ...first,
      ...['opened', 'closed', 'closed', 'ended'],
    ]);
    expect(second.filter((what) => what === 'body')).to.have.lengthOf(3);
    other.cancel();
    expect(tool.watching).to.equal(null);
    flow.add(nothing).execute();
    await tool.run();
    expect(second.at(-1)).to.equal('ended');
  });

  it('what has ended one observing ends no later one', async () => {
    const { tool, run: runs } = bench();
    const first = observe(tool, nothing);
    first.cancel();
    const said: string[] = [];
    const second = observe(tool, (event) => said.push(event.what));
    first.cancel();
    expect(second.valid()).to.equal(true);
    await runs();
    expect(said).to.deep.equal(['begun', 'turn', 'ended']);
  });

  it('who keeps a handle keeps no flow that ran when observing ended', async () => {
    const { tool } = bench();
    const scope = new Scope({ tool });
    const watching = observe(tool, nothing);
    const start = () => {
      const flow = new AsyncSteps({ tool }).add(wait);
      flow.execute();
      return [flow, new WeakRef(flow)] as const;
    };
    let [flow, ref]: readonly [AsyncSteps | null, WeakRef<object>] = start();
    await tool.run();
    watching.cancel();
    flow!.cancel();
    flow = null;
    scope.start(nothing);
    await tool.run();
    gc();
    expect(ref.deref()).to.equal(undefined);
    expect(watching.valid()).to.equal(false);
  });

  it('a scope that is closed when a flow of it has begun waits for that one, too', async () => {
    const { tool } = bench();
    const scope = new Scope({ tool });
    let closed: Promise<number> | undefined;
    observe(tool, ({ what }) => {
      if (what === 'begun') closed = scope.close('over');
    });
    const told: string[] = [];
    scope.start(wait, { done: ({ kind }) => told.push(kind) });
    await tool.run();
    expect(await closed).to.equal(1);
    expect(told).to.deep.equal(['cancelled']);
    expect(scope.size).to.equal(0);
  });

  it('observers are called in the order in which they came, each with the same event', async () => {
    const { tool, flow } = bench();
    const said: string[] = [];
    observe(tool, ({ sequence }) => said.push(`a${sequence}`));
    observe(tool, ({ sequence }) => said.push(`b${sequence}`));
    flow.execute();
    await tool.run();
    expect(said).to.deep.equal(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  });

  it('what an observer throws is reported, and everybody hears of the next event', async () => {
    const { tool, flow, told, run: runs } = bench();
    observe(tool, ({ what }) => {
      throw new Error(what);
    });
    const said = words(tool);
    flow.add((asi) => asi.success(3));
    expect(await runs()).to.deep.include({ kind: 'ok', values: [3] });
    expect(said).to.deep.equal(['begun', 'turn', 'opened 0', 'closed 0 ok', 'ended ok']);
    expect(told).to.deep.equal(said.map(() => 'report InternalError'));
  });

  it('an error of an observer is reported with the path of its event', async () => {
    const paths: string[] = [];
    const { tool, flow } = bench({ report: (_code, _info, _error, path) => paths.push(path) });
    observe(tool, ({ what }) => {
      if (what === 'opened') throw new Error('seen');
    });
    flow.add((asi) => void asi.add(nothing));
    flow.execute();
    await tool.run();
    expect(paths).to.deep.equal(['0', '0/0']);
  });

  it('a cancel of the own flow by an observer is as one of its body', async () => {
    for (const at of ['turn', 'opened', 'body', 'returned', 'closed']) {
      const { tool, flow, run: runs } = bench();
      const said = words(tool);
      let left = 1;
      observe(
        tool,
        ({ what }) => {
          if (what === at && left-- > 0) flow.cancel(at);
        },
        { bodies: true },
      );
      flow.add((asi) => void asi.add(nothing).setCancel(nothing)).add(nothing);
      expect(await runs(), at).to.deep.equal({ kind: 'cancelled', reason: at });
      expect(said.at(-1)).to.equal('ended cancelled');
    }
  });

  it('a flow may be cancelled at each event, also in shields, and whether it fails or not', async () => {
    for (const fails of [false, true]) {
      let isOver = false;
      for (let at = 0; !isOver; at++) {
        const { tool, flow, told, run: runs } = bench();
        const mutex = new Mutex();
        const said: string[] = [];
        const called: string[] = [];
        let left = at;
        let late = false;
        const note = (event: FlowEvent) => {
          said.push(wordsOf(event));
          if (event.what === 'body') called.push(`${left < 0}`);
          if (left-- !== 0) return;
          late = event.what === 'ended';
          flow.cancel();
        };
        observe(tool, note, { bodies: true });
        fillWith(flow, mutex, fails);
        const end = await runs();
        isOver = left >= 0;
        const kind = isOver || late ? (fails ? 'error' : 'ok') : 'cancelled';
        expect(end?.kind, `${at}: ${said}`).to.equal(kind);
        expect(said.at(-1)).to.equal(`ended ${kind}`);
        expect(opened(said), `${said}`).to.deep.equal([]);
        expect(mutex.active).to.equal(0);
        expect(called.filter((isLate) => isLate === 'true').length).to.be.at.most(1);
        expect(told).to.deep.equal([]);
      }
    }
  });

  it('a cancel at the end of a turn, when the line waits, is performed at once', async () => {
    const { tool, flow } = bench();
    const said = words(tool);
    observe(tool, ({ what }) => void (what === 'waits' && flow.cancel()));
    flow.add(wait);
    flow.execute();
    await tool.run();
    expect(said.slice(-3)).to.deep.equal(['waits 0', 'closed 0 left', 'ended cancelled']);
  });

  it('a flow that is cancelled when it has begun takes no turn', async () => {
    const { tool, flow, run: runs } = bench();
    const said = words(tool);
    observe(tool, ({ what }) => void (what === 'begun' && flow.cancel()));
    flow.add(() => expect.fail('called'));
    expect(await runs()).to.deep.equal({ kind: 'cancelled' });
    expect(said).to.deep.equal(['begun', 'ended cancelled']);
  });

  it('a cancel of another flow waits for the end of the closing, or of the turn', async () => {
    for (const at of ['opened', 'closed', 'cancel', 'handler', 'waits', 'ended']) {
      const { tool, flow } = bench({ unhandled: nothing });
      const other = new AsyncSteps({ tool, name: 'other' });
      const said: string[] = [];
      observe(tool, (event) => {
        if (event.flow.name === 'other') said.push(wordsOf(event));
        else if (event.what === at) {
          other.cancel();
          said.push(String(other.running()));
        }
      });
      other.add(wait).execute();
      await tool.run();
      flow.add((asi) => {
        asi.add((inner) => {
          inner.setCancel(nothing);
          inner.setTimeout(9);
        });
      }, nothing);
      flow.execute();
      await tool.run();
      const { length } = said.filter((word) => word === 'true');
      expect(length, at).to.be.within(1, 3);
      expect(said.slice(said.lastIndexOf('closed 0 left')), at).to.deep.equal([
        'closed 0 left',
        'ended cancelled',
        ...said.filter((word) => word === 'false'),
      ]);
      expect(other.running()).to.equal(false);
    }
  });

  it('who ends its own observing and then cancels a flow has cancelled it', async () => {
    const { tool, flow } = bench();
    const other = new AsyncSteps({ tool });
    other.add(wait).execute();
    await tool.run();
    const watching: Handle = observe(tool, () => {
      watching.cancel();
      other.cancel();
    });
    flow.add(nothing).execute();
    await tool.run();
    expect(other.running()).to.equal(false);
    expect(tool.watching).to.equal(null);
  });

  it('what an observer executes is told behind the present event, and runs', async () => {
    const { tool, flow } = bench();
    const other = new AsyncSteps({ tool, name: 'other' });
    other.add(nothing);
    const said: string[] = [];
    observe(tool, ({ what }) => void (what === 'opened' && !other.running() && other.execute()));
    observe(tool, (event) => said.push(`${event.flow.name}${event.sequence} ${wordsOf(event)}`));
    flow.add(nothing).execute();
    await tool.advance(0);
    expect(said.slice(0, 5)).to.deep.equal([
      '1 begun',
      '2 turn',
      '3 opened 0',
      'other4 begun',
      '5 closed 0 ok',
    ]);
    for (const left of [flow, other]) left.cancel();
  });

  it('an observer can neither add to the flow nor execute it again, also at its end', async () => {
    const { tool, flow, told, run: runs } = bench();
    observe(tool, ({ what }) => {
      if (what === 'ended') flow.execute();
      else flow.add(nothing);
    });
    flow.add(nothing);
    expect(await runs()).to.deep.include({ kind: 'ok' });
    expect(told).to.deep.equal(Array.from({ length: 5 }, () => 'report InternalError'));
    expect(await runs()).to.deep.include({ kind: 'ok' });
  });

  it('an accessor that is kept is of no use where its step closes', async () => {
    const { tool, flow, told, run: runs } = bench();
    let kept: IAsyncSteps | undefined;
    observe(tool, ({ what }) => void (what === 'closed' && kept?.success(7)));
    flow.add((asi) => {
      kept = asi;
      asi.success(3);
    });
    expect(await runs()).to.deep.include({ kind: 'ok', values: [3] });
    expect(told).to.deep.equal(['report InternalError']);
  });

  it('waits are as in snapshots, also for guards and channels, and found out when asked', async () => {
    const { tool } = bench();
    const seen: unknown[] = [];
    const paths: string[] = [];
    observe(tool, (event) => {
      if (event.what !== 'waits') return;
      seen.push(event.waits);
      paths.push(event.path);
    });
    const scope = new Scope({ tool });
    scope.start(steps(wait));
    await tool.run();
    const { since, ...waits } = snapshot(tool).flows[0]!.line!.waits!;
    expect([seen, since]).to.deep.equal([[waits], 0]);
    expect(paths).to.deep.equal(['0/0']);
    await Promise.all([scope.close(), tool.run()]);
  });

  it('a hundred thousand flows are told, each from its beginning to its end', async () => {
    const { tool } = bench();
    const counts = new Map<string, number>();
    const open = new Set<number>();
    observe(tool, ({ what, flow: { id } }) => {
      counts.set(what, (counts.get(what) ?? 0) + 1);
      if (what === 'begun') open.add(id);
      if (what === 'ended') open.delete(id);
    });
    const scope = new Scope({ tool });
    const work = steps(nothing, nothing);
    const n = 100_000;
    for (let i = 0; i < n; i++) scope.start(work);
    await tool.run();
    expect(Object.fromEntries(counts)).to.deep.equal({
      begun: n,
      turn: n,
      opened: 3 * n,
      closed: 3 * n,
      ended: n,
    });
    expect(open.size).to.equal(0);
  });

  it('a flow that is a million levels deep is told', async () => {
    const { tool } = bench();
    const depth = 1_000_000;
    let opened = 0;
    let closed = 0;
    observe(tool, ({ what }) => {
      if (what === 'opened') opened++;
      if (what === 'closed') closed++;
    });
    const deeper = (left: number) => (asi: IAsyncSteps) => {
      if (left > 1) asi.add(deeper(left - 1));
    };
    new AsyncSteps({ tool }).add(deeper(depth)).execute();
    await tool.run();
    expect([opened, closed]).to.deep.equal([depth, depth]);
  });

  it('observing that begins in the midst tells what is open, and is no burden when it has ended', async () => {
    const { tool, flow } = bench();
    flow.add((asi) => {
      asi.add((inner) => {
        const said: string[] = [];
        const watching = observe(tool, (event) => said.push(wordsOf(event)), { bodies: true });
        inner.add(() => {
          expect(said).to.deep.equal(['opened 0', 'opened 0/0', 'opened 0/0/0', 'body 0/0/0']);
          watching.cancel();
          expect(tool.watching).to.equal(null);
        });
      });
    });
    flow.execute();
    await tool.run();
    expect(flow.running()).to.equal(false);
  });

  it('flows on the real tool are told, too', async () => {
    const tool = new AsyncTool();
    const said: string[] = [];
    const watching = observe(tool, ({ what }) => said.push(what));
    expect(await run(() => 5, { tool })).to.equal(5);
    watching.cancel();
    expect(said).to.deep.equal(['begun', 'turn', 'opened', 'closed', 'ended']);
  });

  it('what is put around code knows the number of the step that this runs in', async () => {
    const { tool, flow } = bench();
    const paths = new Map([[0, 'none']]);
    const parents = new Map([[0, 0]]);
    const at: string[] = [];
    const seen: string[] = [];
    const see = (what: string) => void seen.push(`${what} ${at.join(' ')}`);
    const tell = (event: FlowEvent) => {
      if (event.what !== 'opened') return;
      paths.set(event.step, event.path);
      parents.set(event.step, event.parent);
    };
    observe(tool, tell, {
      around: (step) => (call) => {
        at.push(paths.get(step)!);
        call();
        at.pop();
      },
    });
    flow.add(
      (asi) => {
        see('body');
        asi.setCancel(() => see('cancel'));
        asi.repeat(2, () => see('round'));
        asi.add((inner) => inner.error('E'));
      },
      (asi, code) => {
        see(`handler of ${code}`);
        asi.success();
      },
      'outer',
    );
    flow.parallel().add(() => see('branch'));
    flow.execute();
    await tool.run();
    expect(seen).to.deep.equal([
      'body outer',
      'round outer/0/#0',
      'round outer/0/#1',
      'cancel outer',
      'handler of E outer',
      'branch 1/|0',
    ]);
    const chain = [...paths].map(([step, path]) => `${path} in ${paths.get(parents.get(step)!)}`);
    expect(chain.slice(1)).to.deep.equal([
      'outer in none',
      'outer/0 in outer',
      'outer/0/#0 in outer/0',
      'outer/0/#1 in outer/0',
      'outer/1 in outer',
      '1 in none',
      '1/|0 in 1',
    ]);
    expect(at).to.deep.equal([]);
  });

  it('what is put around code changes nothing of what a flow does', async () => {
    const calls: string[][] = [];
    for (const isObserved of [false, true]) {
      const { flow, tool, see, seen, run } = world();
      const called: number[] = [];
      const around = (step: number) => {
        called.push(step);
        return called.length % 3 === 0 ? undefined : (call: () => void) => call();
      };
      if (isObserved) observe(tool, nothing, { around });
      fill(flow, see);
      flow.execute();
      await run();
      expect(called.length > 20).to.equal(isObserved);
      calls.push(seen);
    }
    expect(calls[1]).to.deep.equal(calls[0]);
  });

  it('code is called once, and its result or error is its own, whatever is done around it', async () => {
    const kept: (() => void)[] = [];
    const ways: ((call: () => void) => void)[] = [
      nothing,
      (call) => [call(), call()],
      (call) => void kept.push(call),
    ];
    for (const around of ways) {
      const { tool, flow, told, run: runs } = bench();
      let calls = 0;
      observe(tool, nothing, { around: () => around });
      flow.add(
        () => {
          calls++;
          throw new StepError('E');
        },
        (asi, code) => asi.success(code, calls),
      );
      flow.add((_asi, code, count) => [code, count]);
      expect(await runs()).to.deep.include({ kind: 'ok', values: [['E', 1]] });
      expect(calls).to.equal(1);
      expect(told).to.deep.equal([]);
      for (const call of kept) call();
      expect(calls).to.equal(1);
    }
  });

  it('what fails around code is reported, and the code is called nevertheless', async () => {
    for (const when of ['asked', 'before', 'behind']) {
      const { tool, flow, told, run: runs } = bench();
      const around = () => {
        if (when === 'asked') throw new Error(when);
        return (call: () => void) => {
          if (when === 'behind') call();
          throw new Error(when);
        };
      };
      observe(tool, nothing, { around });
      flow.add((asi) => asi.success(3)).add((_asi, n) => n + 1);
      expect(await runs()).to.deep.include({ kind: 'ok', values: [4] });
      expect(told).to.deep.equal(['report InternalError', 'report InternalError']);
    }
  });

  it('what several observers put around code is nested in their order, and ends with each', async () => {
    const { tool, flow } = bench();
    const said: string[] = [];
    const put = (name: string) =>
      observe(tool, nothing, {
        around: () => (call) => {
          said.push(name);
          call();
        },
      });
    const first = put('first');
    const second = put('second');
    flow.add(() => said.push('a') && first.cancel());
    flow.add(() => said.push('b') && second.cancel());
    flow.add(() => void said.push('c'));
    flow.execute();
    await tool.run();
    expect(said).to.deep.equal(['first', 'second', 'a', 'second', 'b', 'c']);
  });

  it('a cancel from around code is as one of the code', async () => {
    const { tool, flow, run: runs } = bench();
    const around = () => (call: () => void) => {
      call();
      flow.cancel('enough');
    };
    observe(tool, nothing, { around });
    flow.add(nothing).add(() => expect.fail('called'));
    expect(await runs()).to.deep.equal({ kind: 'cancelled', reason: 'enough' });
  });

  it('what is no tool, no function or no option is refused at the call', () => {
    const { tool } = bench();
    for (const call of [
      () => observe({} as never, nothing),
      () => observe(tool, 5 as never),
      () => observe(tool, nothing, { bodies: 1 } as never),
      () => observe(tool, nothing, { body: true } as never),
      () => observe(tool, nothing, { around: true } as never),
    ]) {
      expect(thrownBy(call)).to.deep.include({ code: 'InternalError' });
    }
    expect(tool.watching).to.equal(null);
  });
});
