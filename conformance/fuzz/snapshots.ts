/** What holds in every snapshot of a trace, whatever the program is. */
import type { Program } from '../case.js';
import { flowsRunOnce } from './steps.js';

/** A flow in a snapshot: its first line, and those of its lines. */
interface Shown {
  readonly name: string;
  readonly state: string;
  readonly waits: readonly string[];
  /** Of its first line in the trace. */
  readonly at: number;
}

const first = /^(\S+) (idle|running|cancelling)(?: signal)?(?: deadline=\d+)?$/;
const wait = /^(\S+)(?: \S+)*: (.+)$/;
const guard =
  /^[a-z.]+(?: "[^"]*")? waiting=\d+(?: active=(\d+))?(?: available=\d+)?(?: held=(.*))?$/;

/** What doesn't hold, in words. */
export function brokenSnapshots(program: Program, trace: readonly string[]): string[] {
  const flows = shownIn(trace);
  const found: string[] = [];
  if (flows.some(({ state, waits }) => (state === 'idle') !== (waits.length === 0)))
    found.push('a flow is shown without a line, or an idle one with one');
  if (flows.some(({ waits }) => sharesPlaces(program, waits)))
    found.push('two lines are shown at the same place of a queue');
  if (flows.some((flow) => hasEnded(program, trace, flow)))
    found.push('a flow is shown to run when it has ended');
  if (trace.some(isHeldByTooMany)) found.push('a guard is shown with more holders than it has');
  return found;
}

function shownIn(trace: readonly string[]): Shown[] {
  return trace.flatMap((line, at) => {
    const [, name, state] = first.exec(line) ?? [];
    if (name === undefined || state === undefined) return [];
    const rest = trace.slice(at + 1);
    const end = rest.findIndex((other) => wait.exec(other)?.[1] !== name);
    const waits = rest.slice(0, end < 0 ? rest.length : end);
    return [{ name, state, at, waits: waits.map((other) => wait.exec(other)![2]!) }];
  });
}

/** Of the only guard of its kind; what a limiter or a read-write lock is made of has places of its own, or is shared. */
function sharesPlaces(program: Program, waits: readonly string[]): boolean {
  const text = JSON.stringify(program);
  return ['mutex', 'throttle', 'gate', 'barrier', 'breaker'].some((kind) => {
    if (text.split(`"${kind}":`).length !== 2 || text.includes('"keyed":')) return false;
    const places = waits.filter((each) => each.startsWith(`guard ${kind} `));
    return new Set(places).size < places.length;
  });
}

/** What `newInstance` gives has the name of its flow. */
function hasEnded(program: Program, trace: readonly string[], { name, state, at }: Shown): boolean {
  const text = JSON.stringify(program);
  if (state === 'idle' || text.includes('"newInstance":')) return false;
  if (text.includes(`"flow":"${name}"`)) return false; // A step that awaits it executes it, too.
  const isEnd = (line: string) =>
    /^\S+ (ok|error|cancelled|resolved|rejected)\b/.test(line) && line.startsWith(`${name} `);
  return flowsRunOnce(program).has(name) && trace.slice(0, at).some(isEnd);
}

function isHeldByTooMany(line: string): boolean {
  const [, active, held] = guard.exec(line) ?? [];
  return active !== undefined && held !== undefined && held.split(',').length > Number(active);
}
