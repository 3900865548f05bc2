// What is left of jobs that have failed for good.

import { failuresIn, type JobFailure } from './jobfailure.js';

/** A job that has failed for good. Guide: docs/jobs.md#dead-letters */
export interface DeadLetter {
  /** Its place among the dead letters. */
  readonly entry: string;
  /** Of the job. */
  readonly id: string;
  /** The payload as it was written, as JSON if it was a right one; `undefined` if it was too large to be kept. */
  readonly text: string | undefined;
  /** The order key, `''`: none. */
  readonly key: string;
  /** Of the payload's schema. */
  readonly version: number;
  /** How many attempts have failed. */
  readonly attempts: number;
  /** How often its worker was lost. */
  readonly losses: number;
  /** Of the last error; `InvalidJob`: it was none of these; `LeaseLost`: too many of its workers were lost; `Timeout`: its deadline has passed. */
  readonly code: string;
  /** Of the last error. */
  readonly info: string;
  /** Of the step that has raised the last error. */
  readonly path: string;
  /** The errors of its attempts, and what has caused each; the oldest first, the last one included. */
  readonly causes: readonly JobFailure[];
  /** When it was enqueued: milliseconds of the server's clock since 1970. */
  readonly enqueued: number;
  /** When it became a dead letter. */
  readonly died: number;
}

/** As `XRANGE` gives it. */
export type Entry = readonly [entry: string, fields: readonly string[]];

/** Whether Redis takes it for one: of anything else it gives an error, or several. */
export function isEntry(text: string): boolean {
  const isNumber = (part: string) => /^\d{1,20}$/.test(part) && BigInt(part) < 2n ** 64n;
  const parts = text.split('-');
  return parts.length === 2 && parts.every(isNumber);
}

export function deadLetterOf([entry, fields]: Entry): DeadLetter {
  const of: Record<string, string | undefined> = {};
  for (let i = 0; i + 1 < fields.length; i += 2) of[fields[i]!] = fields[i + 1];
  const number = (name: string) => Number(of[name]) || 0;
  return {
    entry,
    id: of['id'] ?? '',
    text: of['whole'] === '1' ? of['payload'] : undefined,
    key: of['key'] ?? '',
    version: number('version'),
    attempts: number('attempts'),
    losses: number('losses'),
    code: of['code'] ?? '',
    info: of['info'] ?? '',
    path: of['path'] ?? '',
    causes: failuresIn(of['causes'] ?? '[]'),
    enqueued: number('at'),
    died: number('died'),
  };
}
