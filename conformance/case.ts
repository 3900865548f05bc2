/** What an implementation is given. */
export interface Program {
  readonly case: string;
  readonly rules: readonly string[];
  readonly flows: Readonly<Record<string, unknown>>;
  /** Implementations whose limits it exceeds: there it has to fail with OutOfSteps. */
  readonly exceeds?: readonly string[];
  readonly [key: string]: unknown;
}

/** A case as it stands in a file; what it may hold is in case.schema.json. */
export interface Case extends Program {
  readonly trace: readonly string[];
}

/** A valid case and the place that it stands at. */
export interface LoadedCase {
  readonly chapter: string;
  readonly file: string;
  readonly line: number;
  readonly program: Case;
}

export interface LoadedSuite {
  readonly cases: readonly LoadedCase[];
  /** What is wrong with the files, one text a finding, each with its place. */
  readonly problems: readonly string[];
}
