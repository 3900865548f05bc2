// All that one case has: its tool, flows, promises and kept things by name, and the trace.

import type {
  Channel,
  Guard,
  Handle,
  IAsyncSteps,
  ICompletion,
  ISync,
  RetryBudget,
} from 'steptree';
import { AsyncSteps, VirtualTool } from 'steptree';

const LONGEST_TRACE = 10_000;

export type Value = unknown;
export type Action = string | { [key: string]: any };
export interface FlowOptions {
  burst?: number;
  grace?: number | string;
}
export type Form = string | { [key: string]: any };

/** Whose actions they are; outside of bodies there is no accessor. */
export interface Context {
  asi: IAsyncSteps | null;
  id: string;
}

/** A signal of a step, or one that a case aborts by name. */
export interface Aborter {
  readonly signal: AbortSignal;
  abort(reason: string): void;
}

/** A promise that a case settles by name. */
export interface Named {
  promise: Promise<unknown>;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

export class World {
  readonly tool: VirtualTool;
  readonly flows = new Map<string, AsyncSteps>();
  readonly contexts = new Map<string, Context>();
  readonly completions = new Map<string, ICompletion>();
  readonly handles = new Map<string, Handle>();
  readonly guards = new Map<string, ISync | Guard>();
  readonly channels = new Map<string, Channel>();
  readonly budgets = new Map<string, RetryBudget>();
  readonly trace: string[] = [];
  /** Settles when the trace has reached its end. */
  readonly truncated: Promise<void>;
  readonly signals = new Map<string, Aborter>();
  private readonly promises = new Map<string, Named>();
  private readonly cancellable: Set<string>;
  private readonly operations: Set<string>;
  private time = 0;
  private full!: () => void;

  constructor(
    cancellable: string[],
    operations: string[],
    seed: number | undefined,
    order: number | number[] | undefined,
  ) {
    this.tool = new VirtualTool({ seed, order });
    this.cancellable = new Set([...cancellable, ...operations]);
    this.operations = new Set(operations);
    this.truncated = new Promise((resolve) => {
      this.full = resolve;
    });
  }

  get ended(): boolean {
    return this.trace.length > LONGEST_TRACE;
  }

  log(text: string): void {
    const now = this.tool.now();
    if (now !== this.time) {
      this.time = now;
      this.write(`@${now}`);
    }
    this.write(text);
  }

  private write(line: string): void {
    if (this.ended) return;
    if (this.trace.length < LONGEST_TRACE) {
      this.trace.push(line);
      return;
    }
    this.trace.push('truncated');
    for (const flow of this.flows.values()) flow.cancel();
    this.full();
  }

  makeFlow(name: string, { burst, grace }: FlowOptions = {}): AsyncSteps {
    const flow = new AsyncSteps({
      tool: this.tool,
      burst,
      grace: grace === undefined ? undefined : Number(grace),
      unhandled: (code) => this.log(`${name} unhandled ${code}`),
      report: (code) => this.log(`${name} report ${code}`),
    });
    this.flows.set(name, flow);
    return flow;
  }

  flow(name: string): AsyncSteps {
    return found(this.flows, name, 'flow');
  }

  context(name: string): Context {
    return found(this.contexts, name, 'accessor');
  }

  guard(name: string): ISync | Guard {
    return found(this.guards, name, 'guard');
  }

  channel(name: string): Channel {
    return found(this.channels, name, 'channel');
  }

  /** The signal of that name: a step's, or one from outside that is made when it is first mentioned. */
  signal(name: string): Aborter {
    const known = this.signals.get(name) ?? new AbortController();
    this.signals.set(name, known);
    return known;
  }

  /** The promise of that name, made when it is first mentioned. */
  promise(name: string): Named {
    const known = this.promises.get(name);
    if (known !== undefined) return known;
    const named = withResolvers();
    const { promise, resolve, reject } = named;
    promise.catch(() => {});
    if (this.cancellable.has(name)) {
      let pending = true;
      const stopping: (() => void)[] = [];
      // Who else awaits it then has come after who made it stop.
      const settle = (how: (value: unknown) => void) => (value: unknown) => {
        pending = false;
        for (const stopped of stopping) stopped();
        how(value);
      };
      Object.assign(named, { resolve: settle(resolve), reject: settle(reject) });
      const cancel = () => {
        if (!pending) return undefined;
        this.log(`${name} cancelled`);
        if (!this.operations.has(name)) return undefined;
        return new Promise<void>((stopped) => {
          stopping.push(stopped);
        });
      };
      Object.assign(promise, { cancel });
    }
    this.promises.set(name, named);
    return named;
  }
}

function withResolvers(): Named {
  const named = {} as Named;
  named.promise = new Promise((resolve, reject) => {
    named.resolve = resolve;
    named.reject = reject;
  });
  return named;
}

export function found<T>(map: Map<string, T>, name: string, what: string): T {
  const thing = map.get(name);
  if (thing === undefined) throw new Error(`no ${what} '${name}'`);
  return thing;
}
