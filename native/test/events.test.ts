import { expect } from 'chai';
import {
  AsyncSteps,
  AsyncTool,
  FlightRecorder,
  type FlowEvent,
  type Handle,
  type IOutcome,
  Metrics,
  observe,
  parallel,
  snapshot,
  StallWatch,
  step,
  type Step,
} from 'steptree';
import { counts, load, offer, type Plugin, withdraw } from '../ts/index.js';
import { builtPlugin, type Tried } from './plugin.js';

type Told = ReturnType<FlowEvent['toJSON']> & Record<string, any>;

describe('events of native steps', () => {
  let plugin: Plugin<Tried>;
  let tool: AsyncTool;
  let watching: Handle | null = null;
  let events: Told[];
  const pause = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));

  before(async () => {
    plugin = await load<Tried>(builtPlugin());
  });
  beforeEach(() => {
    tool = new AsyncTool();
    events = [];
  });
  afterEach(() => {
    watching?.cancel();
    expect(counts()).to.include({ calls: 0, waiting: 0, observers: 0 });
  });

  const watch = (bodies = false, hear = (_event: FlowEvent) => {}) => {
    const note = (event: FlowEvent) => {
      events.push(event.toJSON() as Told);
      hear(event);
    };
    watching = observe(tool, note, { bodies });
  };
  const begun = (part: Step<any, any>, report = (..._: any[]) => {}) => {
    const flow = new AsyncSteps({ tool, name: 'web', report });
    flow.add((asi) => void asi.add(part), undefined, 'page');
    const ended = new Promise<IOutcome>((done) => flow.execute(done));
    return { flow, ended };
  };
  /** Of what happens in `page`, without that. */
  const told = () =>
    events
      .filter(({ path }) => path.startsWith('page/'))
      .map(({ path, what, kind, waits, outcome, code }) =>
        [path.slice(5), what, kind ?? waits?.for ?? outcome, code].filter(Boolean).join(' '),
      );

  it('nested steps, in the order in which they are', async () => {
    watch(true);
    await begun(plugin.step('chain', 2)).ended;
    expect(told()).to.deep.equal([
      'tried.chain opened step',
      'tried.chain body',
      'tried.chain/0 opened step',
      'tried.chain/0 body',
      'tried.chain/0 returned',
      'tried.chain/0 closed ok',
      'tried.chain/1 opened step',
      'tried.chain/1 body',
      'tried.chain/1 returned',
      'tried.chain/1 closed ok',
      'tried.chain returned',
      'tried.chain closed ok',
    ]);
  });

  it('they are of one flow, and have numbers, parents and times of its tool', async () => {
    watch();
    await begun(plugin.step('fail')).ended;
    expect(new Set(events.map(({ flow }) => flow.id)).size).to.equal(1);
    expect(events.every(({ flow }) => flow.name === 'web')).to.equal(true);
    expect(events.map(({ sequence }) => sequence)).to.deep.equal(events.map((_, at) => at + 1));
    const opened = events.filter(({ what }) => what === 'opened');
    const [page, call, outer, inner] = opened.map(({ step }) => step);
    expect(opened.map(({ parent }) => parent)).to.deep.equal([0, page, call, outer]);
    expect(new Set([0, page, call, outer, inner]).size).to.equal(5);
    expect(events.filter(({ what }) => what === 'begun' || what === 'ended').length).to.equal(2);
    expect(Math.max(...events.map(({ time }) => Math.abs(time - tool.now())))).to.be.below(1000);
    expect(told().slice(-3)).to.deep.equal([
      'tried.fail/outer/inner closed error NotFound',
      'tried.fail/outer closed error NotFound',
      'tried.fail closed error NotFound',
    ]);
  });

  it('an error that a native handler recovers', async () => {
    watch();
    expect((await begun(plugin.step('careful', 'nobody')).ended).kind).to.equal('ok');
    expect(told().slice(-5)).to.deep.equal([
      'tried.careful/1/nobody opened step',
      'tried.careful/1/nobody closed error NoService',
      'tried.careful/1 handler NoService',
      'tried.careful/1 closed ok',
      'tried.careful closed ok',
    ]);
  });

  it('a wait, and what comes after it', async () => {
    watch();
    await begun(plugin.step('delay', 20)).ended;
    expect(told()).to.deep.equal([
      'tried.delay opened step',
      'tried.delay/rest opened delay',
      'tried.delay/rest waits timer',
      'tried.delay/rest turn',
      'tried.delay/rest closed ok',
      'tried.delay turn',
      'tried.delay closed ok',
    ]);
    const { waits } = events.find(({ what }) => what === 'waits')!;
    expect(waits.ms).to.be.within(0, 20);
  });

  it('a timeout, before that of what is around', async () => {
    watch();
    await begun(plugin.step('forever').timeout(4)).ended;
    expect(told().slice(-3)).to.deep.equal([
      'tried.forever/waits cancel',
      'tried.forever/waits closed left',
      'tried.forever closed error Timeout',
    ]);
  });

  it('a cancel, with the cleanup', async () => {
    watch();
    const { flow, ended } = begun(plugin.step('cleans', 3));
    await pause();
    events = [];
    flow.cancel();
    await ended;
    expect(told().filter((text) => !text.endsWith('turn'))).to.deep.equal([
      'tried.cleans/waits cancel',
      'tried.cleans/waits closed left',
      'tried.cleans/~0 opened defer',
      'tried.cleans/~0/0 opened delay',
      'tried.cleans/~0/0 waits timer',
      'tried.cleans/~0/0 closed ok',
      'tried.cleans/~0 closed ok',
      'tried.cleans closed left',
    ]);
  });

  it('calls side by side, each in its branch', async () => {
    watch();
    const part = (ms: number) => plugin.step('delay', ms);
    await begun(parallel(part(2), part(1))).ended;
    const closed = told().filter((text) => text.includes('rest closed'));
    expect(closed).to.deep.equal([
      '0/|tried.delay/rest closed ok',
      '0/|tried.delay/rest closed ok',
    ]);
    const steps = events.filter(({ element, what }) => element === 'rest' && what === 'opened');
    expect(new Set(steps.map(({ parent }) => parent)).size).to.equal(2);
  });

  it('nothing is observed while nobody observes', async () => {
    const { flow, ended } = begun(plugin.step('forever'));
    await pause();
    expect(counts()).to.include({ calls: 1, observers: 0 });
    watch();
    expect(counts().observers).to.equal(1);
    watching!.cancel();
    expect(counts().observers).to.equal(0);
    observe(new AsyncTool(), () => {});
    expect(counts().observers).to.equal(0);
    flow.cancel();
    await ended;
    expect(events).to.deep.equal([]);
  });

  it('who comes later is told what is open before', async () => {
    const { ended } = begun(plugin.step('delay', 20));
    await pause();
    watch();
    const recorder = new FlightRecorder(tool);
    await ended;
    const all = [
      'tried.delay opened step',
      'tried.delay/rest opened delay',
      'tried.delay/rest turn',
      'tried.delay/rest closed ok',
      'tried.delay turn',
      'tried.delay closed ok',
    ];
    expect(told()).to.deep.equal(all);
    expect(recorder.text()).to.contain('page/tried.delay/rest opened delay');
    recorder.cancel();
  });

  it('who comes later than another one, or hears of bodies, loses nothing', async () => {
    const first = observe(tool, () => {});
    const { ended } = begun(plugin.step('delay', 20));
    await pause();
    const recorder = new FlightRecorder(tool, { bodies: true });
    first.cancel();
    expect(counts().observers).to.equal(1);
    await ended;
    expect(recorder.text()).to.match(/page\/tried\.delay\/rest closed ok/);
    recorder.cancel();
  });

  it('a recorder has them: as text, as a trace, also of what is open', async () => {
    const recorder = new FlightRecorder(tool, { bodies: true });
    const texts: string[] = [];
    watch(true, () => void texts.push(recorder.text()));
    const { flow, ended } = begun(plugin.step('delay', 1000));
    await pause();
    const { id } = snapshot(flow);
    const lines = recorder.text().replaceAll(/^\d+ /gm, '');
    expect(lines).to.contain(`flow ${id} "web" page/tried.delay/rest opened delay`);
    expect(lines).to.match(/page\/tried\.delay\/rest waits timer (1000|99\d)\n/);
    const { traceEvents } = JSON.parse(recorder.trace());
    const slice = traceEvents.find(({ name }: any) => name === 'rest delay');
    expect(slice).to.deep.include({ ph: 'X', args: { path: 'page/tried.delay/rest', open: true } });
    expect(texts.length).to.equal(recorder.events().length);
    recorder.cancel();
    flow.cancel();
    await ended;
    expect(recorder.text()).to.match(/page\/tried\.delay\/rest waits timer \d+\n/);
  });

  it('figures count them, an error once', async () => {
    const metrics = new Metrics(tool);
    await begun(plugin.step('fail')).ended;
    await begun(plugin.step('delay', 2)).ended;
    const { begun: flows, opened, errors } = metrics.read();
    expect({ flows, opened, errors }).to.deep.equal({
      flows: 2,
      opened: 7,
      errors: { NotFound: 1 },
    });
    metrics.cancel();
  });

  it('bodies that hold the loop, and waits that last, are told with their paths', async () => {
    const stalls = new StallWatch(tool, { body: 50, wait: 60 });
    const reports: string[] = [];
    const note = (code: string, info: string, _error: unknown, path: string) => {
      reports.push(`${code} ${path}: ${info.split('\n')[0]!.replaceAll(/\d+/g, 'N')}`);
    };
    await begun(plugin.step('holds', 60), note).ended;
    expect(reports).to.deep.equal([
      'Stalled page/tried.holds/busy: page/tried.holds/busy held the loop for N ms',
      'Stalled page/tried.holds: page/tried.holds held the loop for N ms',
    ]);
    const { flow, ended } = begun(plugin.step('forever'), note);
    await pause(150);
    expect(reports[2]).to.equal(
      'StalledWait page/tried.forever/waits: page/tried.forever/waits waits for success() or error() of its accessor, for N ms now',
    );
    stalls.cancel();
    flow.cancel();
    await ended;
  });

  it('what observers ask for is performed, and what they throw is reported', async () => {
    let flow: AsyncSteps;
    const reports: string[] = [];
    watch(false, ({ path, what }) => {
      if (!path.endsWith('rest') || what !== 'turn') return;
      flow.cancel();
      expect(counts().observers).to.equal(1);
      throw new Error('of an observer');
    });
    const all = begun(steps(plugin), (_code, info, _error, path) =>
      reports.push(`${path} ${info}`),
    );
    flow = all.flow as AsyncSteps;
    expect((await all.ended).kind).to.equal('cancelled');
    expect(reports).to.deep.equal(['page/0/tried.delay/rest of an observer']);
    expect(told().at(-1)).to.equal('0 closed left');
  });
  const steps = (plugin: Plugin<Tried>) =>
    step((asi) => asi.add(plugin.step('delay', 2)).add((asi) => asi.waitExternal()));

  it('a service is a flow of its own', async () => {
    offer('answer', step(() => 42).named('answer'));
    watch();
    expect((await begun(plugin.step('ask', 'answer')).ended).values).to.deep.equal([42]);
    withdraw('answer');
    expect(new Set(events.map(({ flow }) => flow.id)).size).to.equal(2);
    expect(told()).to.include('tried.ask/answer closed ok');
    expect(events.map(({ path }) => path)).to.include('answer');
  });
});
