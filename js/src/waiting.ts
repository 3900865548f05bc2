// What the lines inside of a step waited for when its time was over: looked for then, before they are closed.

import { inNode } from './context.js';
import type { StepError } from './error.js';
import type { WaitSnapshot } from './isnapshot.js';
import type { HostedLine, Hosts, Waits } from './kind.js';
import { hostOf, pathOf } from './path.js';
import { DEFERRED, GIVEN, HIDDEN, HOSTS } from './phase.js';
import { kindIf, kindOf, type Step } from './step.js';
import type { Line } from './tree.js';
import { isOpen, waitsOf } from './waits.js';
import { waitText } from './waittext.js';

/** A timeout of the step says it. */
export function noteWaits(step: Step, error: StepError): void {
  const waits = waitingIn(step);
  if (waits) error.waits = waits;
}

/** Path, kind and wait of the first one that waits, and how many others do; `''`: none. */
function waitingIn(step: Step): string {
  const { tool } = step.line.flow.settings;
  let others = -1;
  let text = '';
  const next: Line[] = [step.line];
  for (let line = next.pop(); line !== undefined; line = next.pop()) {
    const [last, own] = innermostOf(line, step);
    if (last === null) continue;
    const waits = waitsOf(line, own);
    if (last === line.top && last.bits & HOSTS) addInside(kindOf(last) as Hosts, next);
    if (waits === null || waits.for === 'turn' || waits.for === 'code') continue;
    const inside = inNode && tool.waitsIn?.(line.top, waitText);
    if (inside) {
      others += inside.length;
      text ||= inside[0]!;
      continue;
    }
    if (++others > 0) continue;
    const { for: what, due, on } = waits;
    const said = waitText({
      for: what,
      ...(due! < Infinity && { ms: Math.max(0, due! - tool.now(Math.ceil)) }),
      name: on?.name,
      kind: what === 'guard' ? on?.kind : undefined,
    } as WaitSnapshot);
    text = `${`${pathOf(last)} ${kindNameOf(last)}`.trimStart()}: ${said}`;
  }
  return others > 0 ? `${text}, and ${others} more` : text;
}

/** A section that isn't locked, or what is open; up to the step. */
function innermostOf({ top }: Line, stop: Step): [Step | null, Waits | null] {
  let last = top;
  let own: Waits | null = null;
  for (let step = top; step !== null; step = step === stop ? null : step.link) {
    const waits = step === top || (step.bits & HOSTS) === 0 ? kindIf(step)?.waits?.(step) : null;
    if (!waits) continue;
    last = step;
    own = waits;
  }
  return [last, own];
}

/** The last one comes first. */
function addInside({ first }: Hosts, next: Line[]): void {
  const lines: Line[] = [];
  for (let line: HostedLine | null = first; line !== null; line = line.sibling)
    if (isOpen(line)) lines.push(line);
  for (let line = lines.pop(); line !== undefined; line = lines.pop()) next.push(line);
}

/** Of the one that has an element; of a `step` that of what it is around. */
function kindNameOf(innermost: Step): string {
  let name = 'step';
  let step: Step | null = innermost;
  for (; step !== null; step = step.link ?? hostOf(step.line)) {
    const { bits } = step;
    const own = bits & DEFERRED ? 'defer' : bits & GIVEN ? 'await' : (kindIf(step)?.kind ?? 'step');
    if (own !== 'step') name = own;
    if ((bits & HIDDEN) === 0) break;
  }
  return name;
}
