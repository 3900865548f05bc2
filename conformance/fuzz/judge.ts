/** Asks all implementations for a program and compares what they say with each other and with what always holds. */
import type { Answer } from '../adapter.js';
import type { Program } from '../case.js';
import { sameTrace } from '../execute.js';
import type { Asker } from './asker.js';
import { comparable } from './instants.js';
import { brokenInvariants } from './invariants.js';

export interface Verdict {
  readonly program: Program;
  /** Of the model, if it gives one. */
  readonly trace: readonly string[] | undefined;
  /** What is wrong and whose it is, in one line; '' if nothing is. Programs with the same fault may have the same cause. */
  readonly wrong: string;
  /** The program isn't one: why. */
  readonly refused?: string;
  readonly answers: ReadonlyMap<string, Answer>;
}

export class Judge {
  readonly #model: Asker;
  readonly #others: readonly Asker[];

  constructor(model: Asker, others: readonly Asker[]) {
    this.#model = model;
    this.#others = others;
  }

  /** The model is asked first: what isn't defined, as what uses an accessor that is gone, is nothing for the others. */
  async judge(program: Program): Promise<Verdict> {
    const modelled = await this.#model.ask(program);
    const answers = new Map<string, Answer>([[this.#model.name, modelled]]);
    if ('fault' in modelled) {
      const verdict = { program, trace: undefined, answers };
      if (modelled.broken) return { ...verdict, wrong: faultOf(this.#model.name, modelled) };
      return { ...verdict, wrong: '', refused: modelled.fault };
    }
    if ('unfit' in modelled) throw new Error(modelled.unfit);
    const { trace } = modelled;
    // Native steps that go on for ever are never closed: two languages have no end of it to compare.
    if (trace.at(-1) === 'truncated' && this.#others.some(({ name }) => name === 'native'))
      return { program, trace, answers, wrong: '', refused: 'it has no end' };
    const told = await Promise.all(this.#others.map((other) => other.ask(program)));
    for (const [i, other] of this.#others.entries()) answers.set(other.name, told[i] as Answer);
    return { program, trace, answers, wrong: this.#wrong(program, trace, told) };
  }

  async restart(): Promise<void> {
    await Promise.all([this.#model, ...this.#others].map((asker) => asker.restart()));
  }

  #wrong(program: Program, trace: readonly string[], told: readonly Answer[]): string {
    const differ = this.#others.flatMap(({ name }, i) => {
      const answer = told[i] as Answer;
      if ('fault' in answer) return [faultOf(name, answer)];
      if ('unfit' in answer) return [];
      const isSame =
        name === 'native'
          ? equal(...comparable(program, trace, answer.trace))
          : equal(trace, answer.trace);
      return isSame || isExcused(name, answer.trace) ? [] : [`${name} differs`];
    });
    if (differ.length > 1 && differ.length === told.length && allSame(told)) {
      return `${this.#model.name} differs`;
    }
    if (differ.length > 0) return differ.join(', ');
    return brokenInvariants(program, trace).join(', ');
  }
}

/** What hangs and what crashes is told apart, but not by what it has written before. */
function faultOf(name: string, answer: { readonly fault: string }): string {
  return `${name} ${answer.fault.replace(/[\n:].*/s, '')}`;
}

/** A flow of a fixed size says what it has no room for. */
function isExcused(name: string, trace: readonly string[]): boolean {
  return name === 'nitro' && trace.some((line) => line.includes('OutOfSteps'));
}

function allSame(told: readonly Answer[]): boolean {
  const [first] = told;
  return told.every(
    (answer) =>
      first !== undefined &&
      'trace' in first &&
      'trace' in answer &&
      equal(first.trace, answer.trace),
  );
}

/** The texts of the runtime's own errors, and what it makes of others, are free; those of a program are one letter. */
function equal(expected: readonly string[], actual: readonly string[]): boolean {
  return sameTrace(withoutFreeSteps(expected), withoutFreeSteps(actual));
}

/** Which of its steps a line has open that waits for its turn is free, too: also where it has a guard. [observe-5] */
function withoutFreeSteps(trace: readonly string[]): string[] {
  const turning = new Set<string>();
  return trace.map(withoutFreeText).map((line) => {
    const [, flow, state] = /^(\S+) (?:(idle|running|cancelling)\b|.*: turn$)/.exec(line) ?? [];
    if (flow === undefined) return line.includes(' held=') ? withoutPaths(line, turning) : line;
    if (state === undefined) turning.add(flow);
    else turning.delete(flow);
    return state === undefined ? `${flow}: turn` : line;
  });
}

function withoutPaths(line: string, flows: ReadonlySet<string>): string {
  return line.replace(/(?<= held=|,)([^ ,]+) [^ ,]+/g, (holder, flow) =>
    flows.has(flow) ? flow : holder,
  );
}

function withoutFreeText(line: string): string {
  return line.includes('info="') ? line.replace(/info="(?:|[^"]{2,})"/, 'info=...') : line;
}
