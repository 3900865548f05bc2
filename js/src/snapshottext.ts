// A snapshot as text, for people: a tree of lines, each with the path that its steps add, its innermost step, and what that waits for.

import { inNode } from './context.js';
import { badArgument, checkOptions } from './error.js';
import { deadlocksIn } from './deadlocks.js';
import { assign, INSPECT } from './errortext.js';
import type {
  FlowSnapshot,
  GuardSnapshot,
  LineSnapshot,
  Snapshot,
  StepSnapshot,
  WaitSnapshot,
} from './isnapshot.js';
import { isObject } from './portable.js';
import { snapshot } from './snapshot.js';
import { stepText } from './steptext.js';
import { lookBy } from './timeout.js';
import type { ToolCore } from './toolcore.js';
import { Queueable } from './tree.js';
import { noteWaits } from './waiting.js';
import { quoted, waitText } from './waittext.js';
import { checkLimit } from './waiters.js';

/** Of the text of a snapshot. */
export interface SnapshotTextOptions {
  /** Whether it's for a terminal that shows colours. Default: `false`. */
  color?: boolean | undefined;
  /**
   * How many lines of text it has at most, 1 or more. Default: `Infinity`. What is left out is counted in one more: flows first, then guards,
   * then circles.
   */
  max?: number | undefined;
}

/** Of a path that is longer the middle is left out; of holders the others are counted. */
const ELEMENTS = 16;
const HOLDERS = 3;

/**
 * A snapshot as text: a tree of the lines of each flow, with path, kind and wait of the innermost step, and where that was written if the
 * snapshot has it; of a tool also its guards, and circles of lines of which each waits for a guard that the next one has.
 * Guide: docs/hangs.md#find-it-what-each-waits-for
 *
 *     console.log(snapshotText(snapshot(defaultTool)));
 */
export const snapshotText = /* @__PURE__ */ telling(function snapshotText(
  shown: Snapshot | FlowSnapshot,
  options: SnapshotTextOptions = {},
): string {
  if (!isObject(shown) || !('flows' in shown || typeof shown.state === 'string'))
    badArgument('snapshotText', 'a snapshot', shown);
  const { color = false, max = Infinity } = checkOptions('snapshotText', options, 'color max');
  checkLimit('snapshotText: max', max, 1, ', or Infinity');
  const { flows, guards = [] } = 'flows' in shown ? shown : { flows: [shown] };
  const known = new Map(guards.map((guard) => [guard.id, guard]));
  const circles = deadlocksIn(flows, guards);
  const keptCircles = circles.slice(0, max - 1);
  const keptGuards = guards.slice(0, max - 1 - keptCircles.length).map(guardText);
  const behind = [...keptGuards, ...keptCircles];
  const room = max - behind.length;
  const text: string[] = [];
  let left = guards.length + circles.length - behind.length;
  const say = (line: string) => (text.length < room ? text.push(line) : left++);
  for (const flow of flows) {
    say(titleOf(flow));
    if (flow.line) sayLines(flow.line, (wait) => withHolders(wait, known, color), color, say);
  }
  for (const line of behind) text.push(line);
  if (text.length === 0 && left === 0) return 'no flow runs';
  if (left > 0) text.push(`… and ${left} more`);
  return text.join('\n');
});

/** In a program that has it timeouts say what was waited for. */
function telling<T>(what: T): T {
  lookBy(noteWaits);
  return what;
}

/** Node's consoles show its instances as that text, and what step values are. */
export function inspectable<C extends { readonly prototype: object }>(what: C): C {
  if (inNode) {
    assign(what.prototype, INSPECT, inspected);
    assign(Queueable.prototype, INSPECT, stepText);
  }
  return what;
}

function inspected(this: object, _depth: number, options: { colors: boolean }): string {
  if (!Object.hasOwn(this, 'bits') && !Object.hasOwn(this, 'fuel')) return '{}'; // a prototype
  return snapshotText(snapshot(this as ToolCore), { color: options.colors });
}

function titleOf({ id, name, state, signal, deadline, age }: FlowSnapshot): string {
  const old = age === undefined ? '' : `, ${age} ms old`;
  const until = deadline === undefined ? '' : `, deadline in ${deadline} ms`;
  return `flow ${id}${quoted(name)}${state === 'running' ? '' : `, ${state}`}${old}${signal ? ', with a signal' : ''}${until}`;
}

/** Those inside come behind the one around them, in a list of what is yet to be said. */
function sayLines(
  line: LineSnapshot,
  waitOf: (wait: WaitSnapshot) => string,
  color: boolean,
  say: (text: string) => unknown,
): void {
  const next = [{ line, indent: '', mark: '└─ ' }];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    const { steps, waits, lines } = at.line;
    const last = steps.at(-1);
    const limit = last?.timeout === undefined ? '' : `, its limit in ${last.timeout} ms`;
    const where = [pathOf(at.line), last?.kind].filter(Boolean).join(' ');
    const wait = waits === undefined ? '' : waitOf(waits);
    const text = [where + limit, wait].filter(Boolean).join(': ');
    say(`${at.indent}${at.mark}${text}${sourceText(steps, color)}`);
    const indent = at.indent + (at.mark === '└─ ' ? '   ' : '│  ');
    for (let i = lines.length; i-- > 0;)
      next.push({ line: lines[i]!, indent, mark: i === lines.length - 1 ? '└─ ' : '├─ ' });
  }
}

/** Of the innermost step that has one: what has none was added by that. */
function sourceText(steps: readonly StepSnapshot[], color: boolean): string {
  const source = [...steps].reverse().find((step) => step.source !== undefined)?.source;
  if (source === undefined) return '';
  return color ? ` \x1b[2m(${source})\x1b[22m` : ` (${source})`;
}

function pathOf({ steps }: LineSnapshot): string {
  const elements = steps.map(({ element }) => element);
  const half = ELEMENTS / 2;
  if (elements.length > ELEMENTS) elements.splice(half, elements.length - ELEMENTS, '…');
  return elements.join('/');
}

function withHolders(
  wait: WaitSnapshot,
  guards: ReadonlyMap<number, GuardSnapshot>,
  color: boolean,
): string {
  const { for: what, guard, place, since } = wait;
  const at = place === undefined ? '' : `, place ${place}`;
  const long = since === undefined ? '' : `, for ${since} ms now`;
  const text = waitText(wait) + at + heldBy(guards.get(guard!)) + long;
  return color ? `\x1b[${what === 'turn' || what === 'code' ? 32 : 33}m${text}\x1b[39m` : text;
}

function heldBy(guard: GuardSnapshot | undefined): string {
  if (guard === undefined || guard.holders.length === 0) return '';
  const held = guard.holders
    .slice(0, HOLDERS)
    .map(({ flow, path }) => `flow ${flow}${path && ` at ${path}`}`);
  const others = guard.holders.length - held.length;
  return `, held by ${held.join(', ')}${others > 0 ? ` and ${others} others` : ''}`;
}

function guardText({ kind, name, waiting, active, available }: GuardSnapshot): string {
  const counts = [
    ...(active === undefined ? [] : [`${active} in`]),
    ...(available === undefined ? [] : [`${available} free`]),
    `${waiting} waiting`,
  ];
  return `${kind}${quoted(name)}: ${counts.join(', ')}`;
}
