// The observers of a tool, and how they are called: all of them with one event, then with the next.
//
// - While they are called the flow is busy, and its tool leaves a frame: so what they ask for is latched or put off, and nothing moves.
// - What they cause is told behind the present event, so all see the same order.

import type { AsyncSteps } from './asyncsteps.js';
import { waitIn } from './flowlook.js';
import { idOf } from './ids.js';
import type { FlowEvent } from './ievent.js';
import type { WaitSnapshot } from './isnapshot.js';
import type { Known, Lane } from './lane.js';
import { pathOf } from './path.js';
import { BUSY, OBSERVED } from './phase.js';
import { reportAt } from './report.js';
import { runningOf } from './snapshot.js';
import type { Step } from './step.js';
import type { Handle, ToolCore } from './toolcore.js';
import type { Line } from './tree.js';

export interface Observer {
  readonly call: (event: FlowEvent) => void;
  readonly bodies: boolean;
}

/** Where something occurs. */
export interface Place {
  readonly lane?: Lane;
  readonly known?: Known;
  readonly step?: Step;
  readonly line?: Line;
}

/** What an event says of an end, or of an error. */
export interface End {
  readonly outcome?: string;
  readonly code?: string | undefined;
}

/** The event. What is rarely looked at is found out when it is. */
class Told {
  what!: FlowEvent['what'];
  time = 0;
  sequence = 0;
  flow!: FlowEvent['flow'];
  outcome: string | undefined;
  code: string | undefined;
  #place: Place = NOWHERE;

  at(place: Place): void {
    this.#place = place;
  }

  get path(): string | undefined {
    const { lane, known, step } = this.#place;
    if (step !== undefined) return pathOf(step);
    return known === undefined ? lane?.path() : lane!.pathOf(known);
  }

  get element(): string | undefined {
    return this.#place.known?.element;
  }

  get kind(): string | undefined {
    return this.#place.known?.kind;
  }

  get waits(): WaitSnapshot | undefined {
    const { line } = this.#place;
    return line && waitIn(line);
  }
}

class ShownFlow {
  readonly name: string;
  readonly #flow: AsyncSteps;

  constructor(flow: AsyncSteps) {
    this.name = flow.settings.name;
    this.#flow = flow;
  }

  get id(): number {
    return idOf(this.#flow);
  }
}

export const NOWHERE: Place & End = /* @__PURE__ */ Object.freeze({});

export class Telling {
  protected readonly tool: ToolCore;
  private observers: readonly Observer[] = [];
  /** Whether any of them hears of bodies. */
  protected bodies = false;
  /** Those that run, as far as anything was told of them. */
  private readonly flows = new Map<AsyncSteps, ShownFlow>();
  private readonly told = new Told();
  private sequence = 0;
  /** What was caused while they are called. */
  private caused: { flow: AsyncSteps; told: Told }[] | null = null;

  constructor(tool: ToolCore) {
    this.tool = tool;
  }

  add(observer: Observer): Handle {
    this.change([...this.observers, observer]);
    return {
      cancel: () => this.change(this.observers.filter((other) => other !== observer)),
      valid: () => this.observers.includes(observer),
    };
  }

  /** With the first of them it begins, and with the last one it ends. */
  private change(observers: readonly Observer[]): void {
    const { tool } = this;
    if (this.observers.length === 0) for (const flow of runningOf(tool)) flow.bits |= OBSERVED;
    this.observers = observers;
    this.bodies = observers.some(({ bodies }) => bodies);
    if (this.caused === null && tool.pending.length === 0) this.endUnused();
  }

  /** Not before what observers have asked for is performed. */
  protected endUnused(): void {
    const { tool } = this;
    if (this.observers.length > 0) return;
    tool.watching = null;
    for (const flow of runningOf(tool)) flow.bits &= ~OBSERVED;
  }

  protected tell(
    flow: AsyncSteps,
    what: FlowEvent['what'],
    place: Place,
    end: End = NOWHERE,
  ): void {
    const { tool, caused } = this;
    const told = caused === null ? this.told : new Told();
    told.what = what;
    told.time = tool.now();
    told.sequence = ++this.sequence;
    told.flow = this.shown(flow);
    told.outcome = end.outcome;
    told.code = end.code;
    told.at(place);
    if (caused !== null) return void caused.push({ flow, told });
    this.caused = [];
    tool.leaving++;
    this.call(flow, told);
    for (let at = 0; at < this.caused.length; at++) {
      const next = this.caused[at]!;
      this.call(next.flow, next.told);
    }
    tool.leaving--;
    this.caused = null;
  }

  private call(flow: AsyncSteps, told: Told): void {
    const { bits, settings } = flow;
    const { what } = told;
    const isBody = what === 'body' || what === 'returned';
    if (what !== 'begun') flow.bits |= BUSY;
    for (const observer of this.observers) {
      if (isBody && !observer.bodies) continue;
      if (!this.observers.includes(observer)) continue;
      try {
        observer.call(told as unknown as FlowEvent);
      } catch (thrown) {
        reportAt({ hook: settings.report, path: told.path ?? '' }, thrown);
      }
    }
    if ((bits & BUSY) === 0) flow.bits &= ~BUSY;
  }

  /** It has ended. */
  protected forget(flow: AsyncSteps): void {
    this.flows.delete(flow);
  }

  private shown(flow: AsyncSteps): FlowEvent['flow'] {
    const known = this.flows.get(flow);
    if (known !== undefined) return known;
    const shown = new ShownFlow(flow);
    this.flows.set(flow, shown);
    return shown;
  }
}
