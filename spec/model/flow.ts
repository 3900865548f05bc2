/** A flow from start to end. */
import { closing, closeLine } from './closing.js';
import { enqueue } from './line.js';
import { begun, ended } from './observe.js';
import { makeFailure, type Failure } from './failure.js';
import {
  type Flow,
  type Hooks,
  type Outcome,
  type Step,
  type Values,
  makeLine,
  makeRoot,
} from './shape.js';
import { listen, type Signal } from './signal.js';
import { misuse } from './thrown.js';
import { immediate, type Tool } from './tool.js';

/** [model-51] [cleanup-61]: the defaults of burst and grace. */
export function makeFlow(tool: Tool, hooks: Hooks, burst = 100, grace = 5000, name = ''): Flow {
  if (!(grace >= 0)) throw misuse('a grace is a number from 0 up'); // [cleanup-67]
  const flow: Flow = {
    tool,
    name,
    state: {},
    burst,
    grace,
    hooks,
    line: undefined,
    root: undefined as unknown as Step,
    running: false,
    begun: 0,
    onStack: false,
    view: undefined,
    cancel: undefined,
    told: undefined,
    deafen: undefined,
    closers: [],
  };
  flow.root = makeRoot(flow);
  return flow;
}

/** [model-1] [model-2] [model-3] [model-5] [model-9] */
export function execute(flow: Flow, told?: (outcome: Outcome) => void, signal?: Signal): void {
  const { tool } = flow;
  if (flow.running) throw misuse('the flow runs already');
  if (signal?.aborted) {
    flow.told = told;
    return end(flow, { kind: 'cancelled', reason: '' }); // [signal-2]
  }
  if (signal !== undefined) listen(flow, signal);
  flow.running = true;
  flow.begun = 0;
  tool.flows.push(flow);
  flow.told = told;
  flow.line = Object.assign(flow.line ?? {}, makeLine(flow, flow.root));
  flow.root.line = flow.line;
  enqueue(flow.line);
  begun(flow);
}

/** [model-6] [model-7] [model-8]: idle again and as new, but for its state; then somebody is told. */
function end(flow: Flow, outcome: Outcome): void {
  const { told, tool } = flow;
  if (flow.running) ended(flow, outcome);
  flow.root = makeRoot(flow);
  flow.running = false;
  tool.flows = tool.flows.filter((other) => other !== flow);
  flow.cancel = undefined;
  flow.told = undefined;
  flow.deafen?.();
  flow.deafen = undefined;
  if (told !== undefined)
    tell(tool, () => told(outcome)); // [model-10] [model-13]
  else if (outcome.kind === 'error') tell(tool, () => flow.hooks.unhandled(outcome.failure)); // [error-42]
  for (const closed of flow.closers.splice(0)) tell(tool, closed); // [cleanup-91]
}

/** [model-11]: an immediate of its own; it isn't the program's, and doesn't count for the clock. */
export function tell(tool: Tool, call: () => void): void {
  immediate(tool, call, false);
}

/** [cleanup-90] [cleanup-91] */
export function whenClosed(flow: Flow, closed: () => void): void {
  if (flow.running) flow.closers.push(closed);
  else tell(flow.tool, closed);
}

/** [results-13] */
export function endOk(flow: Flow, values: Values): void {
  end(flow, { kind: 'ok', values });
}

export function endFailed(flow: Flow, failure: Failure): void {
  end(flow, { kind: 'error', failure });
}

/** The error that the promise of a cancelled flow is rejected with. [promise-6] */
export function canceled(flow: Flow, reason: string): Failure {
  return makeFailure(flow.root, 'Canceled', reason);
}

/** `flow.cancel()`, as the table of the cancel chapter says. */
export function cancelFlow(flow: Flow, reason: string): void {
  const { tool } = flow;
  if (!flow.running) {
    flow.root = makeRoot(flow); // [cancel-29]
    return;
  }
  if (flow.cancel !== undefined) return; // [cancel-30]
  flow.cancel = { reason, performed: false };
  if (flow.onStack) return; // [cancel-20] [cancel-21] [cancel-28]
  if (tool.undoing)
    tool.asked!.push(() => performCancel(flow)); // [cancel-25]
  else closing(flow, () => performCancel(flow)); // [cancel-16]
}

/** [cancel-16] [cancel-17] [cancel-18] [cancel-19]: all of the flow is closed, and nobody's error handler hears of it. */
export function performCancel(flow: Flow): void {
  const { cancel, root } = flow;
  if (cancel === undefined || cancel.performed) return;
  cancel.performed = true;
  const { turn } = flow.tool;
  flow.tool.turn = undefined; // [cleanup-44]: a cleanup that a cancel begins is no part of this turn
  closeLine(root.line!, { how: 'cancelled' }, () => {
    end(flow, { kind: 'cancelled', reason: cancel.reason });
  });
  flow.tool.turn = turn;
}
