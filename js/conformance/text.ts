// How things are written in a trace.

import type { IAsyncSteps } from 'steptree';
import { LoopControl, StepError } from 'steptree';

export function withArguments(text: string, values: readonly unknown[]): string {
  const present = [...values];
  while (present.length > 0 && present.at(-1) === undefined) present.pop();
  return [text, ...present.map((value) => JSON.stringify(value ?? null))].join(' ');
}

/** The code that a thrown thing stands for, as a handler would be told it. */
export function codeOf(thrown: any): string {
  if (thrown instanceof StepError) return thrown.code;
  if (typeof thrown === 'string') return thrown;
  if (!(thrown instanceof Error)) return 'InternalError';
  const { code, cause } = thrown as { code?: unknown; cause?: unknown };
  const isPortable = typeof code === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(code);
  return isPortable ? code : codeOf(cause);
}

export function caught(thrown: unknown): string {
  return `caught ${thrown instanceof LoopControl ? thrown.action : codeOf(thrown)}`;
}

/** A line of chosen views of the error that a handler sees. */
export function show(asi: IAsyncSteps, views: string[]): string {
  return views.map((view) => `${view}=${viewOf(asi, view)}`).join(' ');
}

/** Of those that are left out, how many. What isn't ours stands for itself, a thrown value in the error made of it. */
function causesOf(error: any): string[] {
  const causes: string[] = [];
  for (let at = error; at instanceof StepError && at.cause !== undefined; at = at.cause) {
    const { cause } = at as { cause: any };
    if (at !== error && !(cause instanceof Error)) break;
    const code = codeOf(cause);
    causes.push(code === 'Omitted' ? `${code}: ${cause.info}` : code);
  }
  return error instanceof StepError ? causes : [codeOf(error)];
}

function viewOf(asi: IAsyncSteps, view: string): string {
  const { error_info: info, last_exception: error, async_stack: path } = asi.state;
  if (view === 'info') return info === undefined ? '-' : JSON.stringify(info);
  if (view === 'path') return path ?? '-';
  if (view === 'also') return `[${((error as any)?.also ?? []).map(codeOf).join(',')}]`;
  if (error === undefined) return '-';
  if (view === 'guard') return JSON.stringify((error as any)?.guard) ?? '-';
  if (view === 'waits') return JSON.stringify((error as any)?.waits) ?? '-';
  if (view === 'retry_after') return `${(error as any)?.retry_after ?? '-'}`;
  if (view === 'code') return codeOf(error);
  if (view === 'causes') return `[${causesOf(error).join(',')}]`;
  const cause = error instanceof StepError ? error.cause : error;
  return cause === undefined ? '-' : codeOf(cause);
}
