// What observers know of a line: its open steps, as far as they were told. It grows and shrinks as the line's chain does, behind it.
//
// - Steps without an element are known, but not told. Those inside of a lock aren't even known.
// - Sequences that have no step of their own stand in it like steps: `last` is the part that they close behind.

import type { AsyncSteps } from './asyncsteps.js';
import { Definition, type Sequence } from './definition.js';
import { kindNameOf } from './flowlook.js';
import { idAtEnd, idOf } from './ids.js';
import { pathOf } from './path.js';
import { BRANCH, DEFERRED, HIDDEN, NUMBERED, OBLIGES, TOLD } from './phase.js';
import { kindOf, type Step } from './step.js';
import type { Line } from './tree.js';

/** A step that was told, a part of one, or a sequence in the place of a step. It's used again when it isn't open any more. */
export class Known {
  /** Null: a sequence, or nothing. */
  step: Step | null = null;
  kind = '';
  /** Of a sequence; else -1. */
  last = -1;
  /** The innermost step of the line, up to here. */
  top: Step | null = null;
  /** The told one around it, also of the line around. */
  around: Known | null = null;
  /** That of its `opened`; 0: it's a part of the one around it. */
  number = 0;
  private own = '';

  begin(step: Step | null, kind: string, top: Step | null, around: Known | null): void {
    this.step = step;
    this.kind = kind;
    this.top = top;
    this.around = around;
    this.last = -1;
    this.number = 0;
  }

  beginSequence(top: Step | null, around: Known | null, { element, last }: Opened): void {
    this.begin(null, SEQUENCE, top, around);
    this.own = element;
    this.last = last;
  }

  /** As it is now, for later. */
  copy(): Known {
    return Object.assign(new Known(), this);
  }

  /** As paths show it. */
  get element(): string {
    return `${this.mark}${this.name}`;
  }

  /** What stands before its name there. */
  get mark(): string {
    if (this.step === null) return '';
    const { bits, index } = this.step;
    if (bits & NUMBERED) return '#';
    if (bits & DEFERRED) return '~';
    return index >= 0 && bits & BRANCH ? '|' : '';
  }

  /** Or the number. */
  get name(): string | number {
    if (this.step === null) return this.own;
    const { bits, index, options, link, line } = this.step;
    if (bits & (NUMBERED | DEFERRED)) return index;
    const name = options === null ? null : options.name;
    if (name !== null || index >= 0) return name ?? index;
    return sequenceIn(link, line).laid[~index]!.elements.at(-1)!;
  }

  get path(): string {
    const { step, around, own } = this;
    if (step !== null) return pathOf(step);
    return around === null ? own : `${around.path}/${own}`;
  }

  /** The number of the one around it; 0: none. */
  get parent(): number {
    return this.around === null ? 0 : this.around.number;
  }
}

/** Of a flow, what events say of it. Its number is made when it's asked for. */
export class ShownFlow {
  readonly name: string;
  /** Null: it has ended. */
  #flow: AsyncSteps | null;
  #number = 0;

  constructor(flow: AsyncSteps) {
    this.#flow = flow;
    this.name = flow.settings.name;
  }

  get id(): number {
    if (this.#number === 0) this.#number = idOf(this.#flow!);
    return this.#number;
  }

  ended(): void {
    if (this.#number === 0) this.#number = idAtEnd(this.#flow!);
    this.#flow = null;
  }

  toJSON(): object {
    return { id: this.id, name: this.name };
  }
}

export class Lane {
  /** How many are known. */
  size = 0;
  /** The part that has ended with ok while another line had the turn: what ends with it does so in the line's own. */
  ended = -1;
  readonly flow: ShownFlow;
  /** The innermost step of those that are known. */
  top: Step | null = null;
  /** The innermost one that was told, or the one around the line. */
  told: Known | null;
  /** When the line began to wait, and when its flow has begun. */
  since: number | undefined = undefined;
  begun: number | undefined = undefined;
  /** How many sequences are open inside of the innermost step. */
  sequences = 0;
  /** The outermost first; behind `size` what is used again. */
  private readonly known: Known[] = [];
  private readonly line: Line;

  constructor(line: Line, flow: ShownFlow, around: Known | null) {
    this.line = line;
    this.flow = flow;
    this.told = around;
  }

  /** The outermost first. */
  open(): Known[] {
    return this.known.slice(0, this.size);
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

  /** A step is known from now on. */
  add(step: Step, kind: string): Known {
    const known = this.next();
    known.begin(step, kind, step, this.told);
    step.bits |= TOLD;
    this.top = step;
    this.sequences = 0;
    if ((step.bits & HIDDEN) === 0) this.told = known;
    return known;
  }

  addSequence(sequence: Opened): Known {
    const known = this.next();
    known.beginSequence(this.top, this.told, sequence);
    this.sequences++;
    return (this.told = known);
  }

  private next(): Known {
    const { known, size } = this;
    this.size = size + 1;
    if (size === known.length) known.push(new Known());
    return known[size]!;
  }

  /** The innermost one isn't known any more. It's good till the next one is. */
  take(): Known {
    const { known } = this;
    const size = --this.size;
    const taken = known[size]!;
    if (known.length > size + SPARE) known.length = size + 1;
    this.told = taken.around;
    this.top = size === 0 ? null : known[size - 1]!.top;
    if (taken.last >= 0) this.sequences--;
    else for (let at = size; at > 0 && known[at - 1]!.last >= 0; at--) this.sequences++;
    return taken;
  }

  /** Those that begin with this part, and aren't known. */
  sequencesAround({ index, link }: Step): readonly Opened[] {
    if (index >= 0) return NONE;
    const within = sequenceIn(link, this.line);
    const all = sequencesAt(within, ~index);
    if (link === null)
      return [{ element: '0', last: within.laid.length - 1 }, ...all].slice(this.sequences);
    return this.sequences === 0 ? all : all.slice(this.sequences);
  }

  /** The innermost one if it is a sequence, and ends with that part or before; it's known no more. */
  takeSequence(part: number): Known | undefined {
    return this.sequences > 0 && this.known[this.size - 1]!.last <= part ? this.take() : undefined;
  }
}

/** A sequence that begins. */
interface Opened {
  readonly element: string;
  readonly last: number;
}

const SEQUENCE = 'steps';
/** So many are kept to be used again. */
const SPARE = 16;
const NONE: readonly Opened[] = [];

/** Of which its step, or its flow, runs the parts. */
function sequenceIn(step: Step | null, { flow }: Line): Sequence {
  return (step === null ? flow.program : kindOf(step)) as Sequence;
}

/** The sequences without steps in which a part is. */
function sequencesAt(sequence: Sequence, index: number): readonly Opened[] {
  let found = NONE;
  let before = 0;
  for (let at = sequence; ;) {
    const { parts, laid } = at;
    const { part, elements } = laid[index - before]!;
    const body = parts[part];
    const bare = body instanceof Definition ? body.bare : undefined;
    if (bare === undefined) return found;
    before += laid.findIndex((each) => each.part === part);
    found = [...found, { element: elements[0]!, last: before + bare.laid.length - 1 }];
    at = bare;
  }
}

/** If it is a step like others, that of the parts of it that have no element. */
export function kindFrom(steps: readonly Step[], place: number): string {
  let kind = kindNameOf(steps[place]!);
  for (let i = place + 1; kind === 'step' && i < steps.length; i++) {
    if ((steps[i]!.bits & HIDDEN) === 0) break;
    kind = kindNameOf(steps[i]!);
  }
  return kind;
}
