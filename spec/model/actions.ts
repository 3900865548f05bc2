/** The actions of a case: on the accessor of whoever does them, and anywhere. */
import { abort } from './signal.js';
import * as accessor from './accessor.js';
import { adderOf, adderOfFlow } from './adding.js';
import { settle } from './awaitable.js';
import * as channel from './channel.js';
import { completeError, completeOk, completionValid } from './external.js';
import { cancelFlow, execute, whenClosed } from './flow.js';
import { addForm, addForms, formOf, valueFrom } from './forms.js';
import { addChannel, addGuard } from './makeguard.js';
import { closeGate, type Gate, openGate } from './gate.js';
import { close, closedValue, drain, own as ownFlow, start } from './scope.js';
import type { Outcome, Step } from './shape.js';
import { type Event, eventText, observe as startObserving, unobserve } from './observe.js';
import { loseIn } from './lease.js';
import { makeRecorder } from './recorder.js';
import { snapshotOf, snapshotOfFlow } from './snapshot.js';
import { endStalls, watchStalls } from './stalls.js';
import { Returned } from './steps.js';
import { caught, show, withValues } from './text.js';
import { codeOf, Foreign, StepError } from './thrown.js';
import { armedTimers, cancelEntry, deferred, elapse, type Entry, immediate, run } from './tool.js';
import {
  type Action,
  type Context,
  Fault,
  fault,
  found,
  log,
  namelessFlow,
  promiseOf,
  newScope,
  scopeNamed,
  signalNamed,
  type World,
} from './world.js';

/** Does the actions in order. What `{return: p}` or `{returnValue: v}` gives is what the body returns. */
export function perform(world: World, context: Context, actions: readonly Action[]): unknown {
  let returned: unknown;
  for (const action of actions) {
    if (world.tool.stopped) return undefined;
    returned = performOne(world, context, action);
  }
  return returned;
}

/** Actions outside of bodies: what they throw goes no further. */
export function outside(world: World, actions: readonly Action[]): void {
  try {
    perform(world, { step: undefined, id: '' }, actions);
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    log(world, `threw ${codeOf(thrown)}`);
  }
}

function performOne(world: World, context: Context, action: Action): unknown {
  if (formOf(action) !== undefined) {
    addForm(world, adderOf(own(world, context)), action);
    return undefined;
  }
  const name = typeof action === 'string' ? action : Object.keys(action)[0]!;
  const parts = typeof action === 'string' ? {} : action;
  const does = anywhere[name];
  if (does !== undefined) return does(world, parts, context);
  const says = onAccessor[name];
  if (says === undefined) throw fault(world, `no action '${name}'`);
  return says(own(world, context), parts, world, context);
}

function foreign({ throw: message, code, cause }: Parts): Foreign {
  return new Foreign(message, code, cause && foreign(cause));
}

function own(world: World, { step }: Context): Step {
  if (step === undefined) throw fault(world, 'an action on an accessor where there is none');
  world.stale ||= step.phase === 'closed';
  return step;
}

type Parts = { [key: string]: any };
type Says = (step: Step, parts: Parts, world: World, context: Context) => unknown;
type Does = (world: World, parts: Parts, context: Context) => unknown;

const onAccessor: { [name: string]: Says } = {
  success: (step, { success = [] }) => accessor.success(step, success),
  error: (step, { error, info }) => accessor.error(step, error, info),
  errorNoThrow: (step, { errorNoThrow, info }) => accessor.errorNoThrow(step, errorNoThrow, info),
  break: (step, parts) => accessor.control(step, 'break', parts['break']),
  continue: (step, parts) => accessor.control(step, 'continue', parts['continue']),
  breakNoThrow: (step, parts) => accessor.control(step, 'break', parts['breakNoThrow'], false),
  continueNoThrow: (step, parts) =>
    accessor.control(step, 'continue', parts['continueNoThrow'], false),
  setTimeout: (step, parts) =>
    accessor.setTimeout(step, Number(parts['setTimeout']), parts['code']),
  setCancel: (step, { setCancel }, world, { id }) =>
    accessor.setCancel(step, (undone) => {
      if (id !== '') log(world, `${id}~`);
      return perform(world, { step: undone, id }, setCancel);
    }),
  defer: (step, { defer: id, do: actions = [] }, world) =>
    accessor.defer(step, (deferred, end) => {
      if (id !== '') log(world, id);
      return perform(world, { step: deferred, id, end: end as Outcome }, actions);
    }),
  remaining: (step, _, world) => log(world, `remaining=${accessor.remaining(step)}`),
  waitExternal: (step, parts, world) => {
    const completion = accessor.waitExternal(step);
    const name = parts['waitExternal'];
    if (name !== undefined) world.completions.set(name, completion);
  },
  signal: (step, { signal: name, do: actions = [] }, world) => {
    const signal = accessor.signalOf(step);
    if (world.signals.get(name) === signal) return;
    world.signals.set(name, signal);
    signal.listeners.push(() => {
      log(world, `${name} aborted`);
      outside(world, actions);
    });
  },
  keep: (_, { keep }, world, context) => void world.contexts.set(keep, context),
  return: (_, parts, world) => promiseOf(world, parts['return']),
  returnValue: (_, { returnValue }) => returnValue,
  returnStep: (_step, { returnStep }, world) => new Returned(valueFrom(world, returnStep)),
  newInstance: (step, { newInstance, steps = [] }, world) => {
    const flow = accessor.newInstance(step);
    world.flows.set(newInstance, flow);
    addForms(world, adderOfFlow(flow), steps);
  },
  send: (step, { send, value }, world) =>
    channel.send(found(world, world.channels, send), step, value),
  waitAt: (step, { waitAt }, world) => found(world, world.guards, waitAt).waitAt!(step),
  receive: (step, { receive }, world) =>
    channel.receive(found(world, world.channels, receive), step),
  show: (step, parts, world) => log(world, show(step.flow.view, parts['show'])),
  state: ({ flow }, parts, world) => {
    const key = parts['state'];
    if ('set' in parts) flow.state[key] = parts['set'];
    else log(world, `${key}=${key in flow.state ? JSON.stringify(flow.state[key]) : '-'}`);
  },
  local: (step, parts, world) => {
    const key = parts['local'];
    if ('set' in parts) return accessor.setLocal(step, key, parts['set']);
    const value = accessor.localOf(step, key);
    return log(world, `${key}=${value === undefined ? '-' : JSON.stringify(value)}`);
  },
  valid: (step, _, world) => log(world, `valid=${accessor.valid(step)}`),
};

const anywhere: { [name: string]: Does } = {
  log: (world, parts) => log(world, parts['log']),
  outcome: (world, _, { end }) =>
    log(world, end === undefined ? 'outcome=-' : `outcome=${textOf(end)}`),
  throw: (_, parts) => {
    throw foreign(parts);
  },
  throwValue: (_, { throwValue }) => {
    throw throwValue;
  },

  try: (world, parts, context) => {
    try {
      perform(world, context, parts['try']);
    } catch (thrown) {
      if (thrown instanceof Fault) throw thrown;
      log(world, caught(thrown));
    }
  },
  done: (world, { done, success = [], error, info, valid }) => {
    const completion = world.completions.get(done);
    if (completion === undefined) return log(world, `${done}=-`);
    if (valid) return log(world, `${done}=${completionValid(completion)}`);
    if (error === undefined) return log(world, `${done}=${completeOk(completion, success)}`);
    return log(world, `${done}=${completeError(completion, error, info)}`);
  },
  with: (world, parts) => {
    const kept = found(world, world.contexts, parts['with']);
    perform(world, kept, parts['do']);
  },
  execute: (world, { execute: name, done = true, signal }) =>
    execute(
      found(world, world.flows, name),
      done ? (how) => tellEnd(world, name, how) : undefined,
      signal === undefined ? undefined : signalNamed(world, signal),
    ),
  promise: (world, { promise: name, signal }) =>
    execute(
      found(world, world.flows, name),
      (how) => tellPromise(world, name, how),
      signal === undefined ? undefined : signalNamed(world, signal),
    ),
  start: (world, parts) => {
    const { start: name, runs, scope, signal, done = true, asPromise, options = true } = parts;
    const owner = scope === undefined ? undefined : scopeNamed(world, scope);
    const isClosed = owner !== undefined && owner.state !== 'open';
    const made = valueFrom(world, runs);
    const value = isClosed ? closedValue() : made;
    const flow =
      options || owner === undefined ? namelessFlow(world, name, parts) : owner.makeFlow();
    if (!options && owner === undefined) flow.name = '';
    const tellWhom = asPromise ? tellPromise : tellEnd;
    const told = done ? (how: Outcome) => tellWhom(world, name, how) : undefined;
    start(flow, value, told, signal === undefined ? undefined : signalNamed(world, signal));
    if (owner !== undefined && !isClosed) ownFlow(owner, flow);
  },
  makeScope: (world, parts) => void newScope(world, parts.makeScope, parts),
  draining: (world, { draining: name }) => {
    const { state, flows } = scopeNamed(world, name);
    log(world, `${name} draining=${state !== 'open'} size=${flows.length}`);
  },
  closeScope: (world, { closeScope: name, reason = '' }) =>
    close(scopeNamed(world, name), reason, (met) => log(world, `${name} closed ${met}`)),
  drainScope: (world, { drainScope: name, ms, reason = '' }) =>
    drain(scopeNamed(world, name), Number(ms), reason, (met) =>
      log(world, `${name} drained ${met}`),
    ),
  abort: (world, { abort: name }) => abort(signalNamed(world, name)),
  aborted: (world, { aborted: name }) =>
    log(world, `${name} aborted=${signalNamed(world, name).aborted}`),
  cancel: (world, { cancel, reason = '' }) => cancelFlow(found(world, world.flows, cancel), reason),
  running: (world, { running }) =>
    log(world, `${running} running=${found(world, world.flows, running).running}`),
  closed: (world, { closed }) =>
    whenClosed(found(world, world.flows, closed), () => log(world, `${closed} closed`)),
  channelClosed: (world, { channelClosed: name }) =>
    log(world, `${name} closed=${found(world, world.channels, name).closed}`),
  lose: (world, { lose, in: ms = 0 }) => {
    const lease = world.leases.get(lose);
    if (lease !== undefined) loseIn(lease, Number(ms));
  },
  openGate: (world, { openGate: name }) => openGate(found(world, world.guards, name) as Gate),
  closeGate: (world, { closeGate: name }) => closeGate(found(world, world.guards, name) as Gate),
  readGuard: (world, { readGuard: name, key }) => {
    const guard = found(world, world.guards, name);
    if (key === undefined) logWhat(world, name, guard.says!());
    else logWhat(world, `${name} ${key}`, guard.of!(key).says!());
  },
  readChannel: (world, { readChannel: name }) =>
    logWhat(world, name, channel.says(found(world, world.channels, name))),
  addTo: (world, { addTo, steps }) =>
    addForms(world, adderOfFlow(found(world, world.flows, addTo)), steps),
  settle: (world, { settle: name, value, error, info }) => {
    const promise = promiseOf(world, name);
    if (error === undefined) settle(promise, { ok: true, value });
    else settle(promise, { ok: false, reason: new StepError(error, info) });
  },
  immediate: (world, parts) => {
    const handle = immediate(world.tool, () => outside(world, parts['immediate']));
    keepHandle(world, parts['as'], handle);
  },
  deferred: (world, parts) => {
    const handle = deferred(world.tool, parts['deferred'], () => outside(world, parts['do']));
    keepHandle(world, parts['as'], handle);
  },
  cancelHandle: (world, { cancelHandle }) => {
    const handle = world.handles.get(cancelHandle);
    if (handle === undefined) log(world, `${cancelHandle}=-`);
    else cancelEntry(world.tool, handle);
  },
  validHandle: (world, { validHandle }) =>
    log(world, `${validHandle}=${world.handles.get(validHandle)?.pending ?? '-'}`),
  times: (world, { times, do: actions }, context) => {
    for (let i = 0; i < times; i++) perform(world, context, actions);
  },
  makeGuard: (world, { makeGuard: name, ...form }) => addGuard(world, name, form),
  makeChannel: (world, { makeChannel: name, ...form }) => addChannel(world, name, form as never),
  trySend: (world, { trySend: name, value }) =>
    log(world, `${name} sent=${channel.trySend(found(world, world.channels, name), value)}`),
  tryReceive: (world, { tryReceive: name }) => {
    const received = channel.tryReceive(found(world, world.channels, name));
    log(world, `${name} received=${received ? JSON.stringify(received.value ?? null) : '-'}`);
  },
  close: (world, { close }) => channel.close(found(world, world.channels, close)),
  runTool: (world) => run(world.tool),
  snapshot: (world, { snapshot: name }) => {
    const lines =
      name === true ? snapshotOf(world.tool) : snapshotOfFlow(found(world, world.flows, name));
    for (const line of lines) log(world, line);
  },
  observe: (world, { observe }) => {
    const { tool, observer } = world;
    if (observer !== undefined) unobserve(tool, observer);
    const tell = (event: Event) => log(world, eventText(event));
    world.observer = observe === false ? undefined : { tell, bodies: observe === 'bodies' };
    if (world.observer !== undefined) startObserving(tool, world.observer);
  },
  makeRecorder: (world, { makeRecorder: name, events = 4096, bodies = false }) =>
    void world.recorders.set(name, makeRecorder(world.tool, events, bodies)),
  recording: (world, { recording: name }) => {
    const { lines } = found(world, world.recorders, name);
    for (const line of lines.length === 0 ? ['-'] : lines) log(world, `${name}: ${line}`);
  },
  cancelRecorder: (world, { cancelRecorder: name }) =>
    unobserve(world.tool, found(world, world.recorders, name).observer),
  watchStalls: (world, { watchStalls: wait }) => {
    if (world.stalls !== undefined) endStalls(world.stalls);
    world.stalls = wait === false ? undefined : watchStalls(world.tool, wait);
  },
  armedTimers: (world) => log(world, `timers=${armedTimers(world.tool)}`),
  random: (world) => log(world, `random=${world.tool.random()}`),
  busy: (world, { busy }) => elapse(world.tool, Number(busy)),
  now: (world) => log(world, `now=${world.tool.now}`),
};

function keepHandle(world: World, name: string | undefined, handle: Entry): void {
  if (name !== undefined) world.handles.set(name, handle);
}

/** [model-12] */
function tellEnd(world: World, name: string, how: Outcome): void {
  log(world, `${name} ${textOf(how)}`);
}

function textOf(how: Outcome): string {
  if (how.kind === 'ok') return withValues('ok', how.values);
  if (how.kind === 'error') return `error ${how.failure.code}`;
  return `cancelled ${how.reason}`.trimEnd();
}

/** [promise-2] [promise-3] [promise-4] [promise-6] */
function tellPromise(world: World, name: string, how: Outcome): void {
  if (how.kind === 'ok') log(world, withValues(`${name} resolved`, how.values.slice(0, 1)));
  else log(world, `${name} rejected ${how.kind === 'error' ? how.failure.code : 'Canceled'}`);
}

function logWhat(world: World, name: string, says: { [what: string]: number | string }): void {
  const said = Object.entries(says).map(([what, count]) => ` ${what}=${count}`);
  log(world, `${name}${said.join('')}`);
}
