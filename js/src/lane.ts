// What observers know of a line: its open steps, as far as they were told. It grows and shrinks as the line's chain does, behind it.
//
// - Steps without an element are known, but not told. Those inside of a lock aren't even known.
// - Sequences that have no step of their own stand in it like steps: `last` is the part that they close behind.

import { Definition, type Sequence } from './definition.js';
import { kindNameOf } from './flowlook.js';
import { elementsOf, hostOf, pathOf } from './path.js';
import { HIDDEN, OBLIGES, TOLD } from './phase.js';
import { kindOf, type Step } from './step.js';
import type { Line } from './tree.js';

/** A step that was told, or a sequence in the place of one. */
export interface Known {
  /** Null: a sequence. */
  readonly step: Step | null;
  readonly element: string;
  readonly kind: string;
  readonly last: number;
}

export class Lane {
  /** The outermost first. */
  readonly known: Known[] = [];
  /** The part that has ended with ok while another line had the turn: what ends with it does so in the line's own. */
  ended = -1;
  private readonly line: Line;

  constructor(line: Line) {
    this.line = line;
  }

  /** The innermost step of those that are known. */
  get top(): Step | null {
    return this.known.at(-1 - this.sequences())?.step ?? null;
  }

  /** Those of the chain up to `innermost` that aren't known, the outermost first; and whether that is inside of a lock, and not among them. */
  unknown(innermost: Step | null): { steps: Step[]; inLock: boolean } {
    const { top } = this;
    let steps: Step[] = [];
    let inLock = false;
    for (let at = innermost; at !== null && at !== top; at = at.link) {
      steps.push(at);
      if ((at.bits & OBLIGES) === 0) continue;
      steps = [];
      inLock = true;
    }
    return { steps: steps.reverse(), inLock };
  }

  /** It's known from now on. Gives what is to be told, one by one: each is known then, and none behind it. */
  *learn(steps: readonly Step[], place: number): Iterable<Known> {
    const step = steps[place]!;
    const isHidden = (step.bits & HIDDEN) !== 0;
    step.bits |= TOLD;
    if (!isHidden) for (const sequence of this.sequencesAround(step)) yield this.add(sequence);
    const element = isHidden ? '' : elementsOf(step).at(-1)!;
    const known = this.add({ step, element, kind: kindFrom(steps, place), last: -1 });
    if (!isHidden) yield known;
  }

  private add(known: Known): Known {
    this.known.push(known);
    return known;
  }

  /** Those that begin with this part. */
  private sequencesAround({ index, link, line }: Step): Known[] {
    if (index >= 0) return [];
    const within = link === null ? line.flow.program : kindOf(link);
    const all = sequencesAt(within as Sequence, ~index);
    if (link === null) {
      const last = (within as Sequence).laid.length - 1;
      all.unshift({ step: null, element: '0', kind: SEQUENCE, last });
    }
    return all.slice(this.sequences());
  }

  /** How many are open inside of the innermost step. */
  private sequences(): number {
    const { known } = this;
    let count = 0;
    while (known.at(-1 - count)?.step === null) count++;
    return count;
  }

  /** The innermost one if it is a sequence, and ends with that part or before; it's known no more. */
  takeSequence(part: number): Known | undefined {
    const { known } = this;
    const sequence = known.at(-1);
    return sequence?.step === null && sequence.last <= part ? known.pop() : undefined;
  }

  pathOf(at: Known): string {
    return at.step === null ? this.pathAt(this.known.indexOf(at), at) : pathOf(at.step);
  }

  /** Of the innermost one, or of what is around the line. */
  path(): string {
    const { known } = this;
    return known.length > 0 ? this.pathAt(known.length - 1, known.at(-1)!) : this.pathAround();
  }

  /** Of one that stands there, or has stood there. */
  private pathAt(place: number, { step, element }: Known): string {
    if (step !== null) return pathOf(step);
    const at = place < 0 ? this.known.length : place;
    const around = at === 0 ? this.pathAround() : this.pathAt(at - 1, this.known[at - 1]!);
    return around === '' ? element : `${around}/${element}`;
  }

  private pathAround(): string {
    const host = hostOf(this.line);
    return host === null ? '' : pathOf(host);
  }
}

const SEQUENCE = 'steps';

/** The sequences without steps in which a part is. */
function sequencesAt(sequence: Sequence, index: number): Known[] {
  const found: Known[] = [];
  let before = 0;
  for (let at = sequence; ;) {
    const { parts, laid } = at;
    const { part, elements } = laid[index - before]!;
    const body = parts[part];
    const bare = body instanceof Definition ? body.bare : undefined;
    if (bare === undefined) return found;
    before += laid.findIndex((each) => each.part === part);
    const last = before + bare.laid.length - 1;
    found.push({ step: null, element: elements[0]!, kind: SEQUENCE, last });
    at = bare;
  }
}

/** If it is a step like others, that of the parts of it that have no element. */
function kindFrom(steps: readonly Step[], place: number): string {
  let kind = kindNameOf(steps[place]!);
  for (let i = place + 1; kind === 'step' && i < steps.length; i++) {
    if ((steps[i]!.bits & HIDDEN) === 0) break;
    kind = kindNameOf(steps[i]!);
  }
  return kind;
}
