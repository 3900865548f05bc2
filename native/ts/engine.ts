// All that this package uses of the runtime besides what that exports: the test of the same name holds the runtime's own types to it.

import {
  AsyncSteps,
  type AsyncTool,
  type Hook,
  type IAsyncSteps,
  type LineSnapshot,
  StepError,
} from 'steptree';

/** A step, which its accessor is. */
export interface StepInside {
  toPath(): string;
  readonly line: LineInside;
  readonly options: { readonly timer: { disarm(): void } | null } | null;
}

export interface LineInside {
  readonly top: unknown;
  readonly flow: { readonly settings: Settings };
}

/** What a flow was made with. */
export interface Settings {
  readonly tool: ToolInside;
  readonly grace: number;
  readonly report: Hook;
}

export interface ToolInside {
  readonly watching: WatchInside | null;
  now(round?: (time: number) => number): number;
  /** What is shown of what a step calls, in the place of its own wait. */
  inside?: Map<unknown, (shown: LineSnapshot, look: Look) => void>;
  waitsIn?: unknown;
}

/** Of who looks: when the first deadline of the flow comes. */
export interface Look {
  readonly now: number;
  nearest: number;
}

/** What observers know of a step. */
export interface Known {
  number: number;
  readonly path: string;
}

/** What the runtime has while it is observed. It has `openSteps` if native steps can be told, too. */
export interface WatchInside {
  readonly bodies: boolean;
  readonly sinks: readonly { over?(): void }[];
  readonly turns: unknown[];
  stale: boolean;
  openSteps?(): ReadonlyMap<number, Known>;
  waits(line: LineInside): void;
  /** Tells that the step is open. Null: it's inside of a lock. */
  enter(step: unknown): { flow: unknown; told: Known } | null;
  tell(
    flow: unknown,
    shown: unknown,
    what: string,
    known: Known,
    end: { outcome: string | undefined; code: string | undefined },
    line: unknown,
    waits: unknown,
  ): void;
  turned(line: unknown): void;
}

/** What the runtime knows of an error. */
export interface Facts {
  origin: string | null;
  from?: string;
  foreign?: Error;
  order: number;
  later: StepError[] | null;
}

export const stepOf = (asi: IAsyncSteps) => asi as unknown as StepInside;
export const settingsOfFlow = (flow: AsyncSteps) =>
  (flow as unknown as LineInside['flow']).settings;
/** Of a flow that is made without options. */
export const usualSettings = () => settingsOfFlow(new AsyncSteps());
export const settingsOf = (asi: IAsyncSteps) => stepOf(asi).line.flow.settings;
/** For flows that run on it. */
export const toolOf = (tool: ToolInside) => tool as unknown as AsyncTool;
export const factsOf = (error: StepError) =>
  (StepError as unknown as { facts(error: StepError): Facts }).facts(error);
