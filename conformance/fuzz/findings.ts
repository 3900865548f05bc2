/** What is wrong, as it is told: a case for conformance/cases, the traces side by side, the command that replays it. */
import { Document, isCollection, visit } from 'yaml';
import type { Program } from '../case.js';
import { sideBySide } from '../report.js';
import type { Verdict } from './judge.js';
import { shapeOf } from './renamed.js';

export interface Finding {
  readonly verdict: Verdict;
  /** The command that runs what it was found in. */
  readonly replay: string;
  /** How many programs were shrunk to the same. */
  times: number;
}

/** One a shape of what it was shrunk to. */
export class Findings {
  readonly #byShape = new Map<string, Finding>();

  /** The finding, if nothing like it was found before. */
  add(verdict: Verdict, replay: string): Finding | undefined {
    const shape = `${verdict.wrong} ${shapeOf(verdict.program)}`;
    const known = this.#byShape.get(shape);
    if (known !== undefined) {
      known.times++;
      return undefined;
    }
    const finding = { verdict, replay, times: 1 };
    this.#byShape.set(shape, finding);
    return finding;
  }

  get all(): readonly Finding[] {
    return [...this.#byShape.values()];
  }
}

export function report({ verdict, replay }: Finding): string {
  const columns = [...verdict.answers].flatMap(([title, answer]) =>
    'trace' in answer ? [{ title, trace: answer.trace }] : [],
  );
  const faults = [...verdict.answers].flatMap(([name, answer]) =>
    'fault' in answer ? [`${name}: ${answer.fault}`] : [],
  );
  return [
    `WRONG: ${verdict.wrong}`,
    ...faults,
    caseText({ ...verdict.program, trace: verdict.trace ?? [] }),
    ...sideBySide(columns),
    `  replay: ${replay}`,
  ].join('\n');
}

const longestLine = 100;

/** A case as it may stand in a file; its name and its rules are for a person to say. */
export function caseText(program: Program): string {
  const document = new Document([program]);
  visit(document, {
    Pair(_, { key, value }, path) {
      const isFlows = String(key) === 'flows' && path.length === 3;
      if (isCollection(value) && !isFlows && width(value) < longestLine) value.flow = true;
    },
    Map(key, node) {
      if (typeof key === 'number' && width(node) < longestLine && !node.has('case'))
        node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: true }).trimEnd();
}

function width(node: object): number {
  return JSON.stringify(node).length;
}
