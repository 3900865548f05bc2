/** A map: a line for each item of a source, so many at a time. */
import type { Channel } from './channel.js';
import { addTaking, tookBy } from './channelloop.js';
import { closeBranches, silent } from './closing.js';
import { addAlso, type Failure, failureOf, makeFailure } from './failure.js';
import { leave } from './leave.js';
import { dequeue, enqueue, enqueueFirst, turn } from './line.js';
import { type Line, makeLine, makeRoot, makeStep, type Step } from './shape.js';
import { isLate, settleAll } from './tool.js';
import { callUser, cancelled } from './usercode.js';

/** What is mapped: asked for an item after the other, and closed if it is left before its end. */
export interface Source {
  /** Later: it has to be waited for. */
  next(): { item: unknown } | 'later' | undefined;
  close(): void;
}

export interface Mapping {
  limit: number;
  ordered: boolean;
  sink: ((result: unknown, index: number) => void) | undefined;
  /** Gives nothing for what can't be iterated ([flow-94]). */
  open: () => Source | undefined;
  /** Once it is open, and until its end or its failure. */
  source: Source | undefined;
  /** What the source is of, if that is a channel; and the line that waits for a value of it, which will be the next item's. */
  channel: Channel | undefined;
  taking: Line | undefined;
  /** It has the turn, and starts items. */
  starting: boolean;
  /** An item, the source or the sink has failed. */
  failed: boolean;
  /** How many items a turn that timers have cut short has yet to start. */
  room: number;
  /** How many items there were so far. */
  items: number;
  results: { index: number; value: unknown }[];
  /** How many of the results the sink has got. */
  given: number;
}

/** [flow-65] [flow-93] [flow-94] */
export function startMap(step: Step): void {
  const { mapping } = step;
  mapping!.source = mapping!.open();
  if (mapping!.source === undefined) fail(step, makeFailure(step, 'InternalError', 'no items'));
  else enqueue(step.line!);
}

/** [flow-63] [flow-76]: a result that has to wait keeps its slot. */
export function freeSlots({ mapping, lines }: Step): number {
  const { limit, sink, results } = mapping!;
  const open = lines.filter((line) => !line.closed).length;
  return limit - open - (sink === undefined ? 0 : results.length);
}

/** [flow-62] [flow-64] [flow-66] [flow-67] [flow-69]: the map's turn. */
export function moveMap(step: Step): void {
  const mapping = step.mapping!;
  if (mapping.source === undefined) return leave(step, { how: 'ok', values: resultsOf(mapping) });
  const slots = mapping.room || freeSlots(step);
  mapping.starting = true;
  mapping.room = 0;
  const { tool } = step.flow;
  for (let i = 0; i < slots && mapping.source !== undefined; i++) {
    if (i > 0) settleAll(tool); // as between turns: what an item has settled is heard before the next one
    if (i > 0 && isLate(tool)) {
      mapping.room = slots - i; // [tool-56]
      return enqueueFirst(step.line!);
    }
    if (!startItem(step) || mapping.failed || step.phase !== 'inner') return;
    if (mapping.taking !== undefined) break;
  }
  mapping.starting = false;
  goOn(step);
}

/** A map that has something to do goes to the tail; one that has the turn, when that is over. */
function goOn(step: Step): void {
  if (!step.mapping!.starting && hasWork(step)) enqueue(step.line!);
}

/** A slot is free for an item, or the source is at its end and the last item has closed. */
export function hasWork(step: Step): boolean {
  if (step.mapping!.failed || step.mapping!.taking !== undefined) return false;
  const open = step.lines.some((line) => !line.closed);
  return step.mapping!.source === undefined ? !open : freeSlots(step) > 0;
}

/** [flow-60] [flow-61] [flow-64] [flow-83] [flow-89]: false if the map is over. */
function startItem(step: Step): boolean {
  const mapping = step.mapping!;
  const asked = callUser(step, undefined, false, () => mapping.source!.next());
  const next = asked.thrown ? undefined : (asked.value as ReturnType<Source['next']>);
  if (next === 'later') {
    takeLater(step);
    return true;
  }
  if (next === undefined) mapping.source = undefined; // [flow-84]
  if (cancelledAtOnce(step)) return false;
  if (asked.thrown) {
    failMap(step, failureOf(step, asked.value));
    return false;
  }
  if (next !== undefined) runItem(step, next.item, mapping.items++);
  return true;
}

/** [channel-39]: one line waits for a value, and for nothing else. */
function takeLater(step: Step): void {
  const mapping = step.mapping!;
  const root = makeRoot(step.flow, step);
  addTaking(root, mapping.channel!);
  const line = makeLine(step.flow, root);
  mapping.taking = line;
  step.lines = [...step.lines.filter((other) => !other.closed), line];
  turn(line);
}

/** [channel-41]: its turn is the map's, which starts the item with what has come. */
function endTaking(step: Step, line: Line): void {
  const mapping = step.mapping!;
  const came = tookBy(line);
  mapping.taking = undefined;
  if (came === undefined) return moveMap(step);
  const { source } = mapping;
  mapping.source = {
    next() {
      mapping.source = source;
      return came;
    },
    close: () => {},
  };
  moveMap(step);
}

/** [flow-60] [flow-61]: its first body runs at once. */
function runItem(step: Step, item: unknown, index: number): void {
  const root = makeRoot(step.flow, step);
  const first = makeStep('plain', step.flow, root);
  first.body = step.body;
  first.part = step.part;
  first.element = `|${index}`;
  root.level.push(first);
  const line = makeLine(step.flow, root);
  line.values = step.part === undefined ? [item, index] : [item]; // [values-17]
  if (step.part !== undefined) step.flow.tool.busy++; // [tool-19]
  line.number = index;
  step.lines = [...step.lines.filter((other) => !other.closed), line];
  turn(line);
}

/** An item has ended with ok. [flow-71] [flow-72] */
export function endItem(step: Step, line: Line): void {
  const { values, number: index } = line;
  const mapping = step.mapping!;
  if (line === mapping.taking) return endTaking(step, line);
  mapping.results.push({ index, value: values[0] ?? null });
  if (mapping.ordered) mapping.results.sort((a, b) => a.index - b.index);
  if (mapping.sink === undefined || giveResults(step)) goOn(step);
}

/** [flow-74] [flow-75] [flow-78] [flow-89]: false if the map is over. */
function giveResults(step: Step): boolean {
  const mapping = step.mapping!;
  const { ordered, results, sink } = mapping;
  if (mapping.failed) return false;
  while (results.length > 0 && (!ordered || results[0]!.index === mapping.given)) {
    const { index, value } = results.shift()!;
    mapping.given++;
    const { thrown, value: why } = callUser(step, undefined, false, () => sink!(value, index));
    if (cancelledAtOnce(step)) return false;
    if (!thrown) continue;
    failMap(step, failureOf(step, why));
    return false;
  }
  return true;
}

/** [flow-89]: also the rest of the flow, if the map is shielded and goes on. */
function cancelledAtOnce(step: Step): boolean {
  if (cancelled(step)) return true;
  cancelled(step.flow.root);
  return false;
}

/** [flow-70] [flow-73] [flow-77] */
function resultsOf({ sink, results }: Mapping): unknown[] {
  return sink === undefined ? [results.map(({ value }) => value)] : [];
}

/** [flow-90]: also if it was about to go on. */
export function stopMap(step: Step): void {
  step.mapping!.failed = true;
  dequeue(step.line!);
}

/** [flow-78] [flow-80] [flow-83] [flow-87] */
export function failMap(step: Step, failure: Failure): void {
  const why = silent(failure);
  const { tool } = step.flow;
  const { turn: before } = tool;
  stopMap(step);
  tool.turn = undefined; // [flow-86] [parallel-22]: recovered, it goes to the tail, also from its own turn
  closeBranches(step, why, () => {
    addAlso(failure, why.overtaken);
    fail(step, failure);
  });
  tool.turn = before;
}

function fail(step: Step, failure: Failure): void {
  leave(step, { how: 'error', failure });
}

/** [flow-81] [flow-82] [flow-85]: when the items are closed. */
export function closeSource(step: Step): void {
  const source = step.mapping?.source;
  if (source === undefined) return;
  step.mapping!.source = undefined;
  const { thrown, value } = callUser(step, undefined, true, () => source.close());
  if (thrown) step.flow.hooks.report(value);
}
