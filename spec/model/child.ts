/** A flow that a step awaits: it is the step's work. */
import { type Awaitable, makeAwaitable, settle } from './awaitable.js';
import { canceled, cancelFlow, execute } from './flow.js';
import type { Flow, Outcome } from './shape.js';
import { misuse, StepError } from './thrown.js';

/** [promise-40] [promise-41] */
export function awaitableOf(flow: Flow): Awaitable {
  if (flow.running) throw misuse('await: the flow runs already');
  const { tool } = flow;
  const awaitable = makeAwaitable(tool, () => cancelFlow(flow, ''), true);
  awaitable.start = () => {
    try {
      execute(flow, (outcome) => settle(awaitable, settledBy(flow, outcome)));
    } catch (thrown) {
      settle(awaitable, { ok: false, reason: thrown }); // [promise-42]
    }
  };
  return awaitable;
}

function settledBy(flow: Flow, outcome: Outcome): Awaitable['settled'] & object {
  if (outcome.kind === 'ok') return { ok: true, value: undefined, values: outcome.values };
  const { code, info, refusal } =
    outcome.kind === 'error' ? outcome.failure : canceled(flow, outcome.reason);
  return { ok: false, reason: new StepError(code, info, refusal) };
}
