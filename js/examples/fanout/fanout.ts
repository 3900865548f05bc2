/**
 * A service that asks several upstreams at once and answers with what they say: within a deadline, or not at all. If one fails, if
 * time is up, or if the client hangs up, the calls that are still open are aborted: nobody works for an answer that nobody reads.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import {
  AsyncSteps,
  errors,
  type IAsyncSteps,
  Limiter,
  type LimiterOptions,
} from '../../src/index.js';

export interface FanoutOptions {
  /** Name in the answer, and URL. */
  readonly upstreams: Readonly<Record<string, string>>;
  /** How many milliseconds a request may take, its wait for a place included. */
  readonly deadline: number;
  /** How many requests are served at a time, and how many may wait; the next ones are turned away at once. */
  readonly limits: LimiterOptions;
}

const statuses: Readonly<Record<string, number>> = {
  [errors.Timeout]: 504,
  [errors.DefenseRejected]: 503,
  UpstreamFailed: 502,
};

export function fanout({ upstreams, deadline, limits }: FanoutOptions): Server {
  const limiter = new Limiter(limits);
  return createServer((_request, response) => {
    const flow = new AsyncSteps();
    flow.add((asi) => {
      asi.setTimeout(deadline);
      asi.sync(limiter, (step) => askAll(step, upstreams));
    });
    response.once('close', () => flow.cancel('the client is gone'));
    flow.execute(({ kind, values, code = '' }) => {
      if (kind === 'ok') answer(response, 200, values[0]);
      if (kind === 'error') answer(response, statuses[code] ?? 500, { error: code });
    });
  });
}

/** The first failure ends all of them. */
function askAll(asi: IAsyncSteps, upstreams: FanoutOptions['upstreams']): void {
  const said: Record<string, unknown> = {};
  const calls = asi.parallel();
  for (const [name, url] of Object.entries(upstreams)) {
    calls.add(
      async (branch) => {
        said[name] = await ask(url, branch.signal);
      },
      (step) => step.error('UpstreamFailed', name),
    );
  }
  asi.add((step) => step.success(said));
}

/** The signal is aborted when the step is left in any other way than ok. */
async function ask(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
