// What flows do, as plain data: which flows of a tool run, and what each of them shows.

import type { AsyncSteps } from './asyncsteps.js';
import { badArgument, checkOptions } from './error.js';
import { FlowLook } from './flowlook.js';
import type { IFlow } from './iasyncsteps.js';
import type { FlowSnapshot, Snapshot } from './isnapshot.js';
import { IDLE, LIVE } from './phase.js';
import { isObject } from './portable.js';
import { ToolCore } from './toolcore.js';
import { type Locate, sourceBy, type SourceOf } from './written.js';

/** Of `snapshot`. */
export interface SnapshotOptions {
  /** Finds where the bodies of steps were written. Default: nobody does. */
  locate?: Locate | undefined;
}

/**
 * What all flows of a tool that run are doing now, and the guards that they have or wait for; or what one flow is doing: as plain data.
 * At any time, also in a body: it moves nothing, calls nothing of the program's but `locate`, and costs nothing before it is asked. What is
 * no tool and no flow, and a bad option: `InternalError`. Guide: docs/hangs.md#find-it-what-each-waits-for
 *
 *     for (const { name } of snapshot(defaultTool).flows) log(name);
 */
export function snapshot(of: ToolCore, options?: SnapshotOptions): Snapshot;
export function snapshot(of: IFlow, options?: SnapshotOptions): FlowSnapshot;
export function snapshot(
  of: ToolCore | IFlow,
  options: SnapshotOptions = {},
): Snapshot | FlowSnapshot {
  const { locate } = checkOptions('snapshot', options, 'locate');
  const sourceOf = sourceBy('snapshot', locate);
  if (!ToolCore.is(of)) return flowSnapshotOf(of, sourceOf);
  const look = new FlowLook(of, sourceOf);
  const flows = runningOf(of).map((flow) => look.flow(flow));
  return { time: look.time, flows, guards: look.guards.guards() };
}

function flowSnapshotOf(of: IFlow, sourceOf: SourceOf): FlowSnapshot {
  const { flow } = (isObject(of) ? of : {}) as Partial<AsyncSteps>;
  if (!isObject(flow) || !ToolCore.is(flow?.settings?.tool))
    badArgument('snapshot', 'a tool or a flow', of);
  return new FlowLook(flow!.settings.tool, sourceOf).flow(flow!);
}

/** Live ones, the one that has its first turn, those that wait for theirs: so they were started. */
export function runningOf(tool: ToolCore): AsyncSteps[] {
  const flows: AsyncSteps[] = [];
  let live = tool.last as AsyncSteps | null;
  for (; live !== null; live = live.before) flows.push(live);
  flows.reverse();
  for (const node of tool.queue.nodes()) {
    const { flow, bits } = node as Partial<AsyncSteps>;
    if (flow === node && (bits! & (IDLE | LIVE)) === 0) flows.push(flow as AsyncSteps);
  }
  return flows;
}
