// Runs a case in virtual time, and keeps what was to be seen at each moment of it: so one can go back.

import { type FlowSnapshot, type GuardSnapshot, observe, snapshot } from 'steptree';
import type { VirtualToolOptions } from 'steptree';
import { lineOf } from '../../../js/conformance/events.js';
import { type Case, runOnce } from '../../../js/conformance/run.js';
import { World } from '../../../js/conformance/world.js';

export type { Case };

/** Something has happened: an event of a flow, or a line of the trace. */
export interface Moment {
  readonly time: number;
  readonly what: string;
  /** How many lines the trace has. */
  readonly traced: number;
  /** How many choices of the order have been made. */
  readonly chosen: number;
  readonly flows: readonly FlowSnapshot[];
  readonly guards: readonly GuardSnapshot[];
}

export interface Recording {
  readonly moments: readonly Moment[];
  /** What has happened behind the last moment isn't kept. */
  readonly isCut: boolean;
  readonly trace: readonly string[];
  /** How many things there were to choose from, each time; none: nothing was chosen. */
  readonly alternatives: readonly number[];
}

const mostMoments = 2_000;

/** A program that shows when observing begins would see that somebody observes: its moments are the lines of the trace. */
const looksAtObserving = (program: Case) =>
  /"(?:observe|makeRecorder)":/.test(JSON.stringify(program));

class RecordedWorld extends World {
  readonly moments: Moment[] = [];
  isCut = false;
  readonly #observes: boolean;

  constructor(program: Case) {
    super(program.cancellable ?? [], program.operations ?? []);
    this.#observes = !looksAtObserving(program);
  }

  override begin(options: VirtualToolOptions): void {
    super.begin(options);
    if (this.#observes) observe(this.tool, (event) => this.#keep(() => lineOf(event)));
  }

  override log(text: string): void {
    super.log(text);
    this.#keep(() => `trace: ${text}`);
  }

  #keep(what: () => string): void {
    if (this.moments.length >= mostMoments) {
      this.isCut = true;
      return;
    }
    const { tool, trace } = this;
    const { time, flows, guards } = snapshot(tool);
    const chosen = tool.alternatives().length;
    this.moments.push({ time, what: what(), traced: trace.length, chosen, flows, guards });
  }
}

/** `order`: a list of choices, as `VirtualTool` has it; left out, that of the case. */
export async function record(program: Case, order?: readonly number[]): Promise<Recording> {
  const world = new RecordedWorld(program);
  const ordered = order === undefined ? program : { ...program, order: [...order] };
  const { trace, alternatives = [] } = await runOnce(world, ordered);
  return { moments: world.moments, isCut: world.isCut, trace, alternatives };
}
