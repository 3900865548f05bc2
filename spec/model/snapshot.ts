/** What every flow is doing: the tree of open steps, read and left as it is. The rules of the observe chapter. */
import { shelters } from './shelter.js';
import type { Flow, Kind, Line, Shown, Step, StepTimer } from './shape.js';
import type { Value } from './steps.js';
import type { Tool } from './tool.js';

/** As the lines of a trace. */
type Lines = string[];

/** [observe-1] [observe-11] */
export function snapshotOf(tool: Tool): Lines {
  const flows = [
    ...tool.flows.filter(({ begun }) => begun > 0).sort((a, b) => a.begun - b.begun),
    ...tool.flows.filter(({ begun, line }) => begun === 0 && line!.queued === undefined),
    ...[...tool.pass, ...tool.queue].flatMap((entry) =>
      tool.flows.filter(({ begun, line }) => begun === 0 && line!.queued === entry),
    ),
  ];
  const lines = flows.flatMap((flow) => shownLines(flow.root.line!));
  const guards = new Set(lines.flatMap(guardsOf));
  const said = [...guards].map((guard) => guardText(guard, lines));
  return [...flows.flatMap(snapshotOfFlow), ...said];
}

/** [observe-2] [observe-10] [observe-13] [observe-14] */
export function snapshotOfFlow(flow: Flow): Lines {
  const { name, running, cancel, deafen, root } = flow;
  const state = !running ? 'idle' : cancel === undefined ? 'running' : 'cancelling';
  const signal = deafen === undefined ? '' : ' signal';
  const deadlines = running ? shownLines(root.line!).flatMap(deadlinesIn) : [];
  const deadline = said('deadline', nearest(flow, deadlines));
  const first = `${name} ${state}${signal}${deadline}`;
  return running ? [first, ...shownLines(root.line!).flatMap(lineText)] : [first];
}

/** The line, and those inside of its innermost step. [observe-8] */
function shownLines(line: Line): Line[] {
  return [line, ...linesInside(line).flatMap(shownLines)];
}

/** The line of a map that waits for a value is no item of it; one without a step is over, but for its turn. */
export function linesInside(line: Line, within?: Step): Line[] {
  const { lines, mapping } = innermost(line, within);
  const isShown = (inner: Line) => inner.queued !== undefined || stepsOf(inner).length > 0;
  return lines.filter((inner) => !inner.closed && inner !== mapping?.taking && isShown(inner));
}

/** From the root on, up to a section that isn't locked. [observe-7] A branch that has not started has its first one. [observe-8] */
export function stepsOf(line: Line, within?: Step): Step[] {
  const steps: Step[] = [];
  for (let step = line.top; step !== line.root; step = step.parent!) steps.unshift(step);
  const from = within === undefined ? -1 : steps.indexOf(within);
  const lock = steps.findIndex(({ kind }, at) => kind === 'lock' && at > from);
  if (steps.length === 0 && line.root.parent !== undefined) return line.root.level;
  return lock < 0 ? steps : steps.slice(0, lock);
}

/** They are nothing else than the value that stands in the place of their body. */
export const ofParts: readonly Kind[] = ['plain', 'iteration', 'attempt'];

function innermost(line: Line, within?: Step): Step {
  return stepsOf(line, within).at(-1) ?? line.root;
}

/** [observe-5] [observe-6]: nothing if its lines run. */
function lineText(line: Line): Lines {
  const waits = waitOf(line);
  if (waits === undefined) return [];
  const steps = stepsOf(line);
  const at = steps.findLastIndex(({ hidden }) => !hidden);
  const last = steps[at];
  const limit = nearest(line.flow, steps.slice(Math.max(at, 0)).map(limitOf));
  const where = [line.flow.name, pathOf(line), last === undefined ? '' : kindOf(steps.slice(at))];
  const words = where.filter((word) => word !== '').join(' ');
  return [`${words}${said('timeout', limit)}: ${waits}`];
}

/** Steps without an element are parts of the one around them that has one. */
function pathOf(line: Line): string {
  const around = line.root.parent;
  const above = around === undefined ? '' : pathOf(around.line!);
  const own = stepsOf(line).flatMap(({ hidden, element }) => (hidden ? [] : [element]));
  return [above, ...own].filter((element) => element !== '').join('/');
}

const calls: { [kind: string]: string } = {
  plain: 'step',
  iteration: 'step',
  attempt: 'step',
  deferred: 'defer',
  section: 'sync',
  relinquish: 'step',
  taking: 'step',
  lock: 'step',
};

/** Of one that only stands around a part: that of the part, if that is open. */
export function kindOf([step, ...parts]: Step[]): string {
  const { call, kind, part } = step!;
  const isPart = part !== undefined && ofParts.includes(kind);
  const made = callOf(isPart ? part : { call: call || kind, kind });
  return parts.length > 0 && (isPart || made === 'step') ? kindOf(parts) : made;
}

function callOf({ kind, call = kind }: Pick<Value, 'kind' | 'call'>): string {
  return calls[call] ?? call;
}

/** The table of the observe chapter, row by row. */
export function waitOf(line: Line, within?: Step): string | undefined {
  const { flow, top } = line;
  const step = innermost(line, within);
  const taking = step.mapping?.taking;
  if (taking?.closed === false) return waitOf(taking);
  if (line.queued !== undefined) return 'turn';
  if (linesInside(line, within).length > 0) return undefined;
  const locks = step !== top && top.lines.some(({ closed }) => !closed);
  if (flow.tool.onStack.includes(line) && !locks) return 'code';
  if (top.phase === 'stopping') return 'stop';
  if (step !== top) return sectionText(step, top);
  if (top.waitsAt !== undefined) return placeText(top);
  if (top.kind === 'delay') return timerText(flow, top.timer);
  if (step.hedging !== undefined) return timerText(flow, { entry: step.hedging.wait });
  if (top.phase === 'awaiting' || top.kind === 'await') return 'awaitable';
  return top.external ? 'completion' : 'success';
}

/** [observe-9]: who waits in the lock of a guard of the program's own. */
function sectionText(section: Step, top: Step): string {
  return section.guard!.custom || top.waitsAt === undefined ? 'guard' : placeText(top);
}

function placeText({ waitsAt }: Step): string {
  const { what, kind, name, place } = waitsAt!;
  return kind === undefined ? titled(what, name) : `guard ${titled(kind, name)} ${place()}`;
}

function timerText({ tool }: Flow, timer: StepTimer | undefined): string {
  return `timer ${timer?.entry === undefined ? 'Infinity' : Math.max(0, timer.entry.due - tool.now)}`;
}

function titled(kind: string, name: string): string {
  return name === '' ? kind : `${kind} ${JSON.stringify(name)}`;
}

function said(what: string, ms: number): string {
  return ms === Number.POSITIVE_INFINITY ? '' : ` ${what}=${ms}`;
}

/** [observe-10] */
function nearest({ tool }: Flow, timers: (StepTimer | undefined)[]): number {
  const due = timers.map((timer) =>
    timer?.entry?.pending ? timer.entry.due : Number.POSITIVE_INFINITY,
  );
  return Math.max(0, Math.min(...due) - tool.now);
}

/** What it has set itself. */
function limitOf({ kind, phase, timer }: Step): StepTimer | undefined {
  return kind === 'delay' || phase === 'stopping' ? undefined : timer;
}

/** Of the line's steps, up to what shelters those inside. */
function deadlinesIn(line: Line): (StepTimer | undefined)[] {
  const own: (StepTimer | undefined)[] = [];
  for (let step = line.top; ; step = step.parent!) {
    if (step.kind !== 'delay') own.push(step.timer, step.limit);
    if (step === line.root || step.kind === 'deferred' || shelters(step)) return own;
  }
}

/** [observe-11]: the one that it waits for, then those that it has. */
function guardsOf(line: Line): Shown[] {
  const held = line.holds.map(({ shown }) => shown);
  const waits = /^guard /.test(waitOf(line) ?? '') ? line.top.waitsAt?.guard : undefined;
  return waits === undefined ? held : [waits, ...held];
}

function guardText({ kind, name, says, lines }: Shown, shown: Line[]): string {
  const said = says();
  const counts = ['waiting', 'active', 'available']
    .filter((what) => typeof said[what] === 'number' && said[what] !== Number.POSITIVE_INFINITY)
    .map((what) => ` ${what}=${said[what]}`);
  const known = lines();
  const held = shown
    .filter((line) => known.includes(line))
    .map((line) => `${line.flow.name} ${pathOf(line)}`.trimEnd());
  return `${titled(kind, name)}${counts.join('')}${held.length > 0 ? ` held=${held.join(',')}` : ''}`;
}
