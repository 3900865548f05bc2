/** Takes the cases through one adapter process, all at once; the first one that fails is enough. */
import { createInterface } from 'node:readline';
import type { LoadedCase } from '../../conformance/case.js';
import { isExpected } from '../../conformance/execute.js';
import { end, start } from './run.js';

export interface AdapterCommand {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: object;
}

/** No case, and no quick test, takes that long, on whatever machine. */
export const silenceMs = 5_000;

/** Which case fails, or what else is wrong; undefined if all pass. */
export async function firstFailure(
  { name, command, env }: AdapterCommand,
  cases: readonly LoadedCase[],
  cwd: string,
  limitMs: number,
): Promise<string | undefined> {
  const child = start(command, cwd, env);
  const closed = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });
  let hangs = false;
  const hang = () => {
    hangs = true;
    end(child);
  };
  const limit = setTimeout(hang, limitMs);
  let silence = setTimeout(hang, silenceMs);
  child.stdin!.on('error', () => undefined); // It is gone: 'close' tells.
  child.stderr!.resume();
  child.stdin!.end(cases.map(requestOf).join(''));
  let passed = 0;
  let failed: string | undefined;
  for await (const line of createInterface({ input: child.stdout! })) {
    clearTimeout(silence);
    silence = setTimeout(hang, silenceMs);
    const found = cases[passed];
    const trace = traceOf(line, passed);
    if (found === undefined) failed = 'says more than it was asked';
    else if (trace === undefined || !isExpected(name, found.program, trace)) {
      failed = found.program.case;
    }
    if (failed !== undefined) break;
    passed++;
  }
  if (failed !== undefined) end(child);
  const exitCode = await closed;
  clearTimeout(limit);
  clearTimeout(silence);
  if (failed !== undefined) return failed;
  if (passed < cases.length) return `${cases[passed]!.program.case} (${hangs ? 'hangs' : 'ends'})`;
  return exitCode === 0 ? undefined : `exit code ${exitCode} after the last case`;
}

function requestOf({ program: { trace: _, ...program } }: LoadedCase, id: number): string {
  return `${JSON.stringify({ id, case: program })}\n`;
}

function traceOf(line: string, id: number): readonly string[] | undefined {
  try {
    const answer = JSON.parse(line);
    return answer.id === id && Array.isArray(answer.trace) ? answer.trace : undefined;
  } catch {
    return undefined;
  }
}
