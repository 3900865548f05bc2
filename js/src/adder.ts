// The calls that add one step each. An owner may add when its phase says so; arguments are judged here, at the caller, but
// for counts and collections, which a loop looks at when it starts. To read options is to call code of the user's, so the owner is
// looked at after that.

import type { AsyncSteps } from './asyncsteps.js';
import { AWAIT, Await } from './await.js';
import { Child, isFlow } from './child.js';
import { DELAY, relinquish } from './delay.js';
import { badArgument, checkFunction, checkLabel, invalidUse, misuse } from './error.js';
import type { Guard } from './guard.js';
import type { ErrorHandler, IFlow } from './iasyncsteps.js';
import { loopName, LOOP, Loop } from './loop.js';
import type { COUNT, EACH, ENDLESS } from './loopmode.js';
import { ADDING, BODY } from './phase.js';
import type { Step } from './step.js';
import { checkPart, partName } from './steps.js';
import { checkGuard, SECTION, Section } from './sync.js';
import { handleRejection, isPromise } from './thenable.js';
import type { ToolCore } from './toolcore.js';
import { append, type Owner, type Queueable } from './tree.js';

export function add(
  owner: Owner,
  body: unknown,
  onerror: ErrorHandler | undefined,
  name: string | undefined,
): void {
  checkOwner(owner, 'add');
  if (typeof body !== 'function') return addValue(owner, body, onerror, name);
  const catches = handler('add', onerror);
  append(owner, 0, body, catches, name);
}

function addValue(
  owner: Owner,
  value: unknown,
  onerror: ErrorHandler | undefined,
  name: string | undefined,
): void {
  checkPart('add', value);
  const catches = handler('add', onerror);
  const handled = catches === null ? (value as Queueable) : (value as Queueable).onError(catches);
  (name === undefined ? handled : handled.named(name)).queue(owner, 0);
}

export function addValues(owner: Owner, values: unknown[]): void {
  checkOwner(owner, 'successStep');
  append(owner, 0, (asi: Step) => asi.success(...values), null);
}

export function addLoop(
  owner: Owner,
  mode: typeof ENDLESS | typeof COUNT | typeof EACH,
  source: unknown,
  body: unknown,
  label: unknown,
): void {
  const call = loopName(mode);
  checkOwner(owner, call);
  checkPart(call, body);
  const loop = new Loop(mode, source, body, checkLabel(call, label));
  append(owner, LOOP, loop, null, partName(body));
}

export function addAwait(
  owner: Owner,
  awaited: unknown,
  onerror: ErrorHandler | undefined,
  maker: Owner = owner,
): void {
  const catches = handler('await', onerror);
  const awaitable = isFlow(awaited) ? childOf(awaited, maker) : awaited;
  const native =
    isPromise(awaitable) ?? badArgument('await', 'a promise, thenable or flow', awaitable);
  checkOwner(owner, 'await');
  const step = append(owner, AWAIT, new Await(awaitable), catches);
  const opensNext = (owner.bits & BODY) !== 0 && step.link === step;
  if (!native || !opensNext) handleRejection(awaitable);
}

/** A flow that is idle, and of the tool of whoever awaits it. */
function childOf(flow: IFlow, maker: Owner): Child {
  if (flow.running()) throw misuse('await: the flow is running');
  if (toolOf(flow as AsyncSteps) !== toolOf(maker as AsyncSteps | Step))
    throw misuse('await: the flow is of another tool');
  return new Child(flow);
}

function toolOf(owner: AsyncSteps | Step): ToolCore | undefined {
  const flow = 'line' in owner ? owner.line.flow : owner.flow;
  return flow?.settings.tool;
}

export function addSection(
  owner: Owner,
  guard: unknown,
  body: unknown,
  onerror: ErrorHandler | undefined,
): void {
  checkGuard(guard);
  checkPart('sync', body);
  const section = new Section(guard as Guard, body, handler('sync', onerror));
  checkOwner(owner, 'sync');
  append(owner, SECTION, section, null, partName(body));
}

export function addRelinquish(owner: Owner): void {
  checkOwner(owner, 'relinquish');
  append(owner, DELAY, relinquish, null);
}

export function handler(call: string, onerror: ErrorHandler | undefined): ErrorHandler | null {
  if (onerror === undefined || onerror === null) return null;
  checkFunction(call, onerror, 'a function as error handler');
  return onerror;
}

/** Steps are added in a body, in a handler, and while a root or a queued parallel is being filled. */
export function checkOwner(owner: Owner, call: string): void {
  if (owner.bits & ADDING) return;
  throw invalidUse(
    `${call}: steps are added while the body or handler of their accessor runs, or to a flow that hasn't begun`,
  );
}
