// All that one case has: its tool, flows, promises and kept things by name, and the trace.

import type {
  IOutcome,
  Channel,
  FlightRecorder,
  FlowEvent,
  Guard,
  Handle,
  IAsyncSteps,
  ICompletion,
  ISync,
  Keyed,
  Lease,
  Mutex,
  RetryBudget,
  StartOptions,
  Step,
} from 'steptree';
import {
  AsyncSteps,
  local,
  type Local,
  observe,
  Scope,
  type StallWatch,
  VirtualTool,
  type VirtualToolOptions,
} from 'steptree';
import { lineOf } from './events.js';

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
  /** In a deferred function, and in `unlock()`. */
  outcome?: IOutcome | undefined;
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
  /** Made beforehand: what stands for a form where it's added, and where it's a part of another value. See `defined`. */
  readonly added = new Map<unknown, Step>();
  readonly parts = new Map<unknown, Step>();
  /** Forms of the program, those of them that are values, and bodies that are. */
  readonly share = { steps: 0, values: 0, bodies: 0 };
  /** Which forms may have a value in the place of their body. */
  describes: (kind: string) => boolean = () => false;
  tool!: VirtualTool;
  readonly flows = new Map<string, AsyncSteps>();
  readonly contexts = new Map<string, Context>();
  readonly completions = new Map<string, ICompletion>();
  readonly handles = new Map<string, Handle>();
  readonly guards = new Map<string, ISync | Guard>();
  readonly leases = new Map<string, Lease>();
  readonly locals = new Map<string, Local<unknown>>();
  readonly channels = new Map<string, Channel>();
  readonly scopes = new Map<string, Scope>();
  readonly budgets = new Map<string, RetryBudget>();
  readonly recorders = new Map<string, FlightRecorder>();
  stalls: StallWatch | undefined;
  trace!: string[];
  /** Settles when the trace has reached its end. */
  truncated!: Promise<void>;
  readonly signals = new Map<string, Aborter>();
  private readonly promises = new Map<string, Named>();
  private readonly cancellable: Set<string>;
  private readonly operations: Set<string>;
  private time = 0;
  private full!: () => void;
  private stops = false;
  private observing: Handle | undefined;

  constructor(cancellable: string[], operations: string[]) {
    this.cancellable = new Set([...cancellable, ...operations]);
    this.operations = new Set(operations);
  }

  /** A run begins, on a tool of its own, with nothing left over from the run before. */
  begin(options: VirtualToolOptions): void {
    this.leases.clear();
    this.tool = new VirtualTool(options);
    this.stalls = undefined;
    this.trace = [];
    this.time = 0;
    this.truncated = new Promise((resolve) => {
      this.full = resolve;
    });
    const { flows, contexts, completions, handles, guards, locals, channels, budgets } = this;
    const named = [flows, contexts, completions, handles, guards, locals, channels, budgets];
    const { scopes, signals, promises, recorders } = this;
    for (const things of [...named, scopes, signals, promises, recorders]) things.clear();
  }

  /** Whether it's done elsewhere: of what is not JavaScript's. */
  isElsewhere(_action: Action): boolean {
    return false;
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
    if (this.ended) return this.stop();
    if (this.trace.length < LONGEST_TRACE) {
      this.trace.push(line);
      return;
    }
    this.trace.push('truncated');
    this.stop();
    this.tool.deferred(1, () => this.stop());
    this.full();
  }

  /** A flow is live from the end of its first turn on: what has yet to have that is cancelled when it's heard of again. */
  private stop(): void {
    if (this.stops) return;
    this.stops = true;
    const live: AsyncSteps[] = [];
    for (let flow = this.tool.last; flow !== null; flow = flow.before)
      live.push(flow as AsyncSteps);
    for (const flow of live) flow.cancel();
    this.stops = false;
  }

  /** Each event is a line from now on, with those of bodies or without; or no more. At one of them the observer may cancel its flow. */
  observe(which: boolean | 'bodies', cancelAt: number | undefined): void {
    this.observing?.cancel();
    let count = 0;
    const tell = (event: FlowEvent) => {
      this.log(lineOf(event));
      if (++count === cancelAt) this.flows.get(event.flow.name)?.cancel();
    };
    this.observing = which ? observe(this.tool, tell, { bodies: which === 'bodies' }) : undefined;
  }

  makeFlow(name: string, options?: FlowOptions): AsyncSteps {
    const flow = new AsyncSteps({ tool: this.tool, ...this.flowOptions(name, options) });
    this.flows.set(name, flow);
    return flow;
  }

  flowOptions(name: string, { burst, grace }: FlowOptions = {}): StartOptions {
    return {
      name,
      burst,
      grace: grace === undefined ? undefined : Number(grace),
      unhandled: (code) => this.log(`${name} unhandled ${code}`),
      report: (code) => this.log(`${name} report ${code}`),
    };
  }

  /** Made when it is first mentioned. */
  scope(name: string): Scope {
    const known = this.scopes.get(name) ?? new Scope({ tool: this.tool });
    this.scopes.set(name, known);
    return known;
  }

  /** One with options, before it is mentioned elsewhere. */
  makeScope(name: string, options: FlowOptions): void {
    const scope = new Scope({ tool: this.tool, ...this.flowOptions(name, options) });
    this.scopes.set(name, scope);
  }

  flow(name: string): AsyncSteps {
    return found(this.flows, name, 'flow');
  }

  recorder(name: string): FlightRecorder {
    return found(this.recorders, name, 'recorder');
  }

  context(name: string): Context {
    return found(this.contexts, name, 'accessor');
  }

  guard(name: string, places?: number, key?: string): ISync | Guard {
    const guard = found(this.guards, name, 'guard');
    if (key !== undefined) return (guard as unknown as Keyed<string, Mutex>).of(key);
    return places === undefined ? guard : (guard as Mutex).places(Number(places));
  }

  channel(name: string): Channel {
    return found(this.channels, name, 'channel');
  }

  /** Made when it is first mentioned. */
  local(name: string): Local<unknown> {
    const known = this.locals.get(name) ?? local<unknown>(name);
    this.locals.set(name, known);
    return known;
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
