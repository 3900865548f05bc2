/** What a run prints for a person. */
import type { LoadedCase } from './case.js';
import type { Failure, Outcome } from './execute.js';

const widestColumn = 46;

/** Cases by chapter, how many of them each implementation passed, and how many of all aren't for it. */
export function table(cases: readonly LoadedCase[], outcomes: readonly Outcome[]): string {
  const chapters = [...new Set(cases.map(({ chapter }) => chapter))];
  const count = (list: readonly LoadedCase[], chapter?: string) =>
    String(list.filter((found) => chapter === undefined || found.chapter === chapter).length);
  const row = (title: string, chapter?: string) => [
    title,
    count(cases, chapter),
    ...outcomes.map(({ passed }) => count(passed, chapter)),
  ];
  const unfit = outcomes.map(({ unfit }) => String(unfit.length));
  const rows = [
    ['chapter', 'cases', ...outcomes.map(({ implementation }) => implementation)],
    ...chapters.map((chapter) => row(chapter, chapter)),
    ...(unfit.every((count) => count === '0') ? [] : [['unfit', '', ...unfit]]),
    row('all'),
  ];
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((cells) => width(cells[i]))));
  return rows
    .map((cells) =>
      cells
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

/** Of what an implementation of values tells how much that was. */
export function shareLine({ implementation, share }: Outcome): string | undefined {
  if (share === undefined) return undefined;
  const { steps, values, bodies } = share;
  return `${implementation}: ${values} of ${steps} steps are values, and ${bodies} bodies`;
}

/** A failed case: the expected trace and what each implementation made of it, side by side. */
export function failureReport(found: LoadedCase, outcomes: readonly Outcome[]): string {
  const failures = outcomes.flatMap(({ implementation, failed }) =>
    failed
      .filter((failure) => failure.found === found)
      .map((failure) => ({ implementation, failure })),
  );
  const lines = [`FAILED ${found.program.case}  (${found.file}:${found.line})`];
  for (const { implementation, failure } of failures) {
    if (failure.fault !== undefined)
      lines.push(indent(`${implementation}: ${failure.fault}`, '  '));
  }
  const columns = failures.flatMap(({ implementation, failure }) =>
    failure.trace === undefined ? [] : [{ title: implementation, trace: failure.trace }],
  );
  if (columns.length > 0) {
    lines.push(...sideBySide([{ title: 'expected', trace: found.program.trace }, ...columns]));
  }
  lines.push(`  replay: npm run conformance -- --case ${quoted(found.program.case)}`);
  return lines.join('\n');
}

/** Every failed case once, in the order of the suite. */
export function failedCases(failures: readonly Failure[], cases: readonly LoadedCase[]) {
  const failed = new Set(failures.map(({ found }) => found));
  return cases.filter((found) => failed.has(found));
}

interface Column {
  readonly title: string;
  readonly trace: readonly string[];
}

export function sideBySide(columns: readonly Column[]): string[] {
  const rows = Math.max(...columns.map(({ trace }) => trace.length));
  const widths = columns.map(({ title, trace }) =>
    Math.min(widestColumn, Math.max(width(title), ...trace.map(width))),
  );
  const line = (mark: string, cells: readonly string[]) =>
    `  ${mark} ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')}`.trimEnd();
  const lines = [
    line(
      ' ',
      columns.map(({ title }) => title),
    ),
  ];
  for (let row = 0; row < rows; row++) {
    const cells = columns.map(({ trace }) => trace[row] ?? '');
    const differs = columns.some(({ trace }) => trace[row] !== columns[0]?.trace[row]);
    lines.push(line(differs ? '>' : ' ', cells));
  }
  return lines;
}

function width(text: string | undefined): number {
  return text?.length ?? 0;
}

function indent(text: string, by: string): string {
  return text.replaceAll(/^/gm, by);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
