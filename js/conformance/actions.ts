// The actions of a case: on the accessor of whoever runs them, and anywhere.

import type { AsyncSteps, IAsyncSteps, IOutcome, RunOptions, Gate } from 'steptree';
import { Channel, FlightRecorder, run, snapshot, StallWatch, StepError } from 'steptree';
import { recordedLines } from './events.js';
import { addForm, addForms, formOf, valueFrom } from './forms.js';
import { addGuard } from './guards.js';
import { linesOf, linesOfFlow } from './snapshots.js';
import { caught, codeOf, show, withArguments } from './text.js';
import type { Action, Context, World } from './world.js';

type Run = (world: World, context: Context, action: any) => unknown;

/** Does the actions in order. What `{return: p}` or `{returnValue: v}` gives is what the body returns. */
export function perform(world: World, context: Context, actions: Action[]): unknown {
  let returned: unknown;
  for (const action of actions) {
    if (world.ended) return undefined;
    returned = performOne(world, context, action);
  }
  return returned;
}

/** Does those of a function that may return a step: the last one is returned, if it has been made beforehand. */
export function answer(world: World, context: Context, actions: Action[]): unknown {
  const last = world.added.get(actions.at(-1));
  const returned = perform(world, context, last === undefined ? actions : actions.slice(0, -1));
  return world.ended ? undefined : (last ?? returned);
}

/** Actions outside of bodies: what they throw goes no further. */
export function external(world: World, actions: Action[]): void {
  try {
    perform(world, { asi: null, id: '' }, actions);
  } catch (thrown) {
    if (isFault(thrown)) throw thrown;
    world.log(`threw ${codeOf(thrown)}`);
  }
}

function performOne(world: World, context: Context, action: Action): unknown {
  if (formOf(action) !== undefined) {
    addForm(world, own(context), action);
    return undefined;
  }
  if (world.isElsewhere(action)) return undefined;
  const name = typeof action === 'string' ? action : Object.keys(action)[0]!;
  const run = anywhere[name] ?? onAccessor[name];
  if (run === undefined) throw new Fault(`no action '${name}'`);
  return run(world, context, typeof action === 'string' ? { [action]: undefined } : action);
}

/** A case that can't be run. */
class Fault extends Error {}

function isFault(thrown: unknown): boolean {
  return thrown instanceof Fault;
}

function foreign({ throw: message, code, cause }: any): Error {
  const error = new Error(message, cause && { cause: foreign(cause) });
  return Object.assign(error, code && { code });
}

function own(context: Context): IAsyncSteps {
  if (context.asi === null) throw new Fault('an action on an accessor where there is none');
  return context.asi;
}

const onAccessor: { [name: string]: Run } = {
  success: (_, c, a) => own(c).success(...(a.success ?? [])),
  error: (_, c, a) => own(c).error(a.error, a.info),
  errorNoThrow: (_, c, a) => own(c).errorNoThrow(a.errorNoThrow, a.info),
  break: (_, c, a) => own(c).breakLoop(a.break),
  continue: (_, c, a) => own(c).continueLoop(a.continue),
  breakNoThrow: (_, c, a) => own(c).breakNoThrow(a.breakNoThrow),
  continueNoThrow: (_, c, a) => own(c).continueNoThrow(a.continueNoThrow),
  setTimeout: (_, c, a) => own(c).setTimeout(Number(a.setTimeout), a.code),
  setCancel: (world, c, a) =>
    own(c).setCancel((asi) => {
      if (c.id !== '') world.log(`${c.id}~`);
      perform(world, { asi, id: c.id }, a.setCancel);
    }),
  defer: (world, c, { defer: id, do: actions = [] }) =>
    own(c).defer((asi, outcome) => {
      if (id !== '') world.log(id);
      return answer(world, { asi, id, outcome }, actions);
    }),
  remaining: (world, c) => world.log(`remaining=${own(c).remaining()}`),
  waitExternal: (world, c, a) => {
    const completion = own(c).waitExternal();
    if (a.waitExternal !== undefined) world.completions.set(a.waitExternal, completion);
  },
  signal: (world, c, a) => {
    const { signal } = own(c);
    if (world.signals.get(a.signal)?.signal === signal) return;
    world.signals.set(a.signal, { signal, abort: () => undefined });
    signal.addEventListener('abort', () => {
      world.log(`${a.signal} aborted`);
      external(world, a.do ?? []);
    });
  },
  keep: (world, c, a) => {
    own(c);
    world.contexts.set(a.keep, c);
  },
  return: (world, _, a) => world.promise(a.return).promise,
  returnValue: (_world, _, a) => a.returnValue,
  returnStep: (world, _, a) => valueFrom(world, a.returnStep),
  newInstance: (world, c, a) => {
    const flow = own(c).newInstance();
    world.flows.set(a.newInstance, flow as AsyncSteps);
    addForms(world, flow, a.steps ?? []);
  },
  send: (world, c, a) => world.channel(a.send).send(own(c), a.value),
  waitAt: (world, c, a) => (world.guard(a.waitAt) as Gate).wait(own(c)),
  receive: (world, c, a) => world.channel(a.receive).receive(own(c)),
  show: (world, c, a) => world.log(show(own(c), a.show)),
  throw: (_world, _, a) => {
    throw foreign(a);
  },
  throwValue: (_world, _, a) => {
    throw a.throwValue;
  },
  state: (world, c, a) => {
    const { state } = own(c);
    if ('set' in a) state[a.state] = a.set;
    else world.log(`${a.state}=${a.state in state ? JSON.stringify(state[a.state]) : '-'}`);
  },
  local: (world, c, a) => {
    const local = world.local(a.local);
    if ('set' in a) return local.set(own(c), a.set);
    const value = local.get(own(c));
    world.log(`${a.local}=${value === undefined ? '-' : JSON.stringify(value)}`);
    return undefined;
  },
  valid: (world, c) => world.log(`valid=${own(c).valid()}`),
};

const anywhere: { [name: string]: Run } = {
  log: (world, _, a) => world.log(a.log),
  outcome: (world, c) => world.log(`outcome=${c.outcome === undefined ? '-' : endOf(c.outcome)}`),
  try: (world, c, a) => {
    try {
      perform(world, c, a.try);
    } catch (thrown) {
      if (isFault(thrown)) throw thrown;
      world.log(caught(thrown));
    }
  },
  done: (world, _, a) => {
    const completion = world.completions.get(a.done);
    if (completion === undefined) world.log(`${a.done}=-`);
    else if ('valid' in a) world.log(`${a.done}=${completion.valid()}`);
    else if ('error' in a) world.log(`${a.done}=${completion.error(a.error, a.info)}`);
    else world.log(`${a.done}=${completion.success(...(a.success ?? []))}`);
  },
  with: (world, _, a) => void perform(world, world.context(a.with), a.do),
  execute: (world, _, a) => execute(world, a.execute, a.done !== false, a.signal),
  promise: (world, _, a) =>
    tellPromise(world, a.promise, world.flow(a.promise).promise(runOptions(world, a.signal))),
  start: (
    world,
    _,
    { start: name, runs, scope, signal, done = true, asPromise, options: own = true, grace, burst },
  ) => {
    const options = {
      ...(own && world.flowOptions(name, { grace, burst })),
      ...runOptions(world, signal),
      ...(done &&
        !asPromise && { done: (outcome: IOutcome) => world.log(`${name} ${endOf(outcome)}`) }),
    };
    const value = valueFrom(world, runs);
    const owner = scope === undefined ? null : world.scope(scope);
    if (asPromise) {
      const promise = owner?.run(value, options) ?? run(value, { ...options, tool: world.tool });
      tellPromise(world, name, promise);
    } else {
      (owner ?? world.tool).start(value, options);
    }
  },
  makeScope: (world, _, { makeScope: name, grace, burst }) =>
    world.makeScope(name, { grace, burst }),
  draining: (world, _, { draining: name }) =>
    world.log(`${name} draining=${world.scope(name).draining} size=${world.scope(name).size}`),
  closeScope: (world, _, { closeScope: name, reason }) => {
    const closed = world.scope(name).close(reason);
    closed.then((cut) => world.log(`${name} closed ${cut}`));
  },
  drainScope: (world, _, { drainScope: name, ms, reason }) => {
    const drained = world.scope(name).drain(Number(ms), reason);
    drained.then((cut) => world.log(`${name} drained ${cut}`));
  },
  abort: (world, _, a) => world.signal(a.abort).abort(''),
  aborted: (world, _, a) =>
    world.log(`${a.aborted} aborted=${world.signal(a.aborted).signal.aborted}`),
  cancel: (world, _, a) => world.flow(a.cancel).cancel(a.reason),
  running: (world, _, a) => world.log(`${a.running} running=${world.flow(a.running).running()}`),
  closed: (world, _, a) => {
    world
      .flow(a.closed)
      .closed()
      .then(() => world.log(`${a.closed} closed`));
  },
  addTo: (world, _, a) => addForms(world, world.flow(a.addTo), a.steps),
  settle: (world, _, a) => {
    const named = world.promise(a.settle);
    if ('error' in a) named.reject(new StepError(a.error, a.info));
    else named.resolve(a.value);
  },
  immediate: (world, _, a) => {
    keep(
      world,
      a.as,
      world.tool.immediate(() => external(world, a.immediate)),
    );
  },
  deferred: (world, _, a) => {
    keep(
      world,
      a.as,
      world.tool.deferred(a.deferred, () => external(world, a.do)),
    );
  },
  cancelHandle: (world, _, a) => {
    const handle = world.handles.get(a.cancelHandle);
    if (handle === undefined) world.log(`${a.cancelHandle}=-`);
    else handle.cancel();
  },
  validHandle: (world, _, a) =>
    world.log(`${a.validHandle}=${world.handles.get(a.validHandle)?.valid() ?? '-'}`),
  times: (world, c, a) => {
    for (let i = 0; i < a.times; i++) perform(world, c, a.do);
  },
  makeGuard: (world, _, a) => addGuard(world, a.makeGuard, a),
  makeChannel: (world, _, a) => {
    world.channels.set(a.makeChannel, new Channel({ capacity: Number(a.capacity) }));
  },
  trySend: (world, _, a) =>
    world.log(`${a.trySend} sent=${world.channel(a.trySend).trySend(a.value)}`),
  tryReceive: (world, _, a) => {
    const received = world.channel(a.tryReceive).tryReceive();
    world.log(
      `${a.tryReceive} received=${received === undefined ? '-' : JSON.stringify(received.value)}`,
    );
  },
  close: (world, _, a) => world.channel(a.close).close(),
  channelClosed: (world, _, a) =>
    world.log(`${a.channelClosed} closed=${world.channel(a.channelClosed).closed}`),
  lose: (world, _, a) => world.leases.get(a.lose)?.lose(a.in && Number(a.in)),
  openGate: (world, _, a) => (world.guard(a.openGate) as Gate).open(),
  closeGate: (world, _, a) => (world.guard(a.closeGate) as Gate).close(),
  readGuard: (world, _, { readGuard: name, key }) => {
    const guard: any = world.guard(name);
    if (key === undefined) logWhat(world, name, guard, ofGuards);
    else logWhat(world, `${name} ${key}`, guard.get(key) ?? {}, ofGuards);
  },
  readChannel: (world, _, a) =>
    logWhat(world, a.readChannel, world.channel(a.readChannel), ofChannels),
  snapshot: (world, _, { snapshot: name }) => {
    const { tool } = world;
    const lines = name === true ? linesOf(snapshot(tool)) : linesOfFlow(snapshot(world.flow(name)));
    for (const line of lines) world.log(line);
  },
  runTool: (world) => void world.tool.run(),
  observe: (world, _, a) => world.observe(a.observe, a.cancelAt),
  makeRecorder: (world, _, { makeRecorder: name, events, bodies }) =>
    void world.recorders.set(name, new FlightRecorder(world.tool, { events, bodies })),
  recording: (world, _, { recording: name }) => {
    for (const line of recordedLines(world.recorder(name))) world.log(`${name}: ${line}`);
  },
  cancelRecorder: (world, _, a) => world.recorder(a.cancelRecorder).cancel(),
  watchStalls: (world, _, { watchStalls: wait }) => {
    world.stalls?.cancel();
    world.stalls = wait === false ? undefined : new StallWatch(world.tool, { wait });
  },
  armedTimers: (world) => world.log(`timers=${world.tool.armedTimers()}`),
  random: (world) => world.log(`random=${world.tool.random() * 2 ** 32}`),
  busy: (world, _, a) => world.tool.elapse(Number(a.busy)),
  now: (world) => world.log(`now=${world.tool.now()}`),
};

const ofGuards = ['size', 'waiting', 'active', 'available', 'state'];
const ofChannels = ['size', 'available', 'senders', 'receivers'];

function logWhat(world: World, name: string, of: any, what: readonly string[]): void {
  const said = what.filter((each) => each in of).map((each) => ` ${each}=${of[each]}`);
  world.log(`${name}${said.join('')}`);
}

function keep(world: World, name: string | undefined, handle: any): void {
  if (name !== undefined) world.handles.set(name, handle);
}

function tellPromise(world: World, name: string, promise: Promise<unknown>): void {
  promise.then(
    (value) => world.log(withArguments(`${name} resolved`, [value])),
    (reason) => world.log(`${name} rejected ${codeOf(reason)}`),
  );
}

function runOptions(world: World, signal: string | undefined): RunOptions | undefined {
  return signal === undefined ? undefined : { signal: world.signal(signal).signal };
}

function execute(world: World, name: string, told: boolean, signal: string | undefined): void {
  const flow = world.flow(name);
  const options = runOptions(world, signal);
  if (!told) return flow.execute(undefined, options);
  flow.execute((outcome) => world.log(`${name} ${endOf(outcome)}`), options);
}

function endOf({ kind, values, code, reason }: IOutcome): string {
  const ends = { ok: '', error: ` ${code}`, cancelled: reason ? ` ${reason}` : '' };
  return withArguments(`${kind}${ends[kind]}`, values ?? []);
}
